-- as owner
SELECT retention._register($row$ {"name": "per_expression", "table_name": "app.note", "hash": "1abf6dd35b33",
    "passes": [{"ranked": true, "groups": "per_expression_groups", "beyond": "per_expression_beyond"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone", "owner_id": "bigint",
        "score": "double precision"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('per_expression');

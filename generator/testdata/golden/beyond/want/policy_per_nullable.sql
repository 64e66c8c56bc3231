-- as owner
SELECT retention._register($row$ {"name": "per_nullable", "table_name": "app.note", "hash": "509bad39ae0c",
    "passes": [{"ranked": true, "groups": "per_nullable_groups", "beyond": "per_nullable_beyond"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "state": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('per_nullable');

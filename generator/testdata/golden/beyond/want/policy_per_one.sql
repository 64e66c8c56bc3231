-- as owner
SELECT retention._register($row$ {"name": "per_one", "table_name": "app.note", "hash": "7cc2b2c83e09",
    "passes": [{"range": true, "ranked": true, "groups": "per_one_groups", "beyond": "per_one_beyond",
        "indexed": true}],
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone", "owner_id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('per_one');

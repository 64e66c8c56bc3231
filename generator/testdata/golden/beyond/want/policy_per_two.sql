-- as owner
SELECT retention._register($row$ {"name": "per_two", "table_name": "app.note", "hash": "d4e239e797e5",
    "passes": [{"range": true, "ranked": true, "groups": "per_two_groups", "beyond": "per_two_beyond",
        "indexed": true}],
    "expects": {"app.note": {"columns": {"id": "bigint", "kind": "text", "made_at": "timestamp with time zone",
        "owner_id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('per_two');

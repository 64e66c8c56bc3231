-- as owner
SELECT retention._register($row$ {"name": "by_rank", "table_name": "app.served", "hash": "4e988034cd46",
    "passes": [{"range": true, "ranked": true, "groups": "by_rank_groups", "beyond": "by_rank_beyond",
        "indexed": true}],
    "expects": {"app.served": {"columns": {"at": "timestamp with time zone", "id": "bigint", "owner_id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_rank');

-- as owner
SELECT retention._register($row${"name": "by_rank", "table_name": "app.served", "hash": "57582911a183",
    "passes": [{"range": true, "ranked": true, "groups": "by_rank_groups", "beyond": "by_rank_beyond",
        "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('by_rank');

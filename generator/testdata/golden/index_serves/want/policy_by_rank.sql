-- as owner
SELECT retention._register($row$ {"name": "by_rank", "table_name": "app.served", "hash": "fa92f81db894",
    "passes": [{"range": true, "ranked": true, "groups": "by_rank_groups", "beyond": "by_rank_beyond",
        "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('by_rank');

-- as owner
SELECT retention._register($row$ {"name": "per_one", "table_name": "app.note", "hash": "51086b4405df",
    "passes": [{"range": true, "ranked": true, "groups": "per_one_groups", "beyond": "per_one_beyond",
        "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('per_one');

-- as owner
SELECT retention._register($row$ {"name": "per_two", "table_name": "app.note", "hash": "d7983c988e9e",
    "passes": [{"range": true, "ranked": true, "groups": "per_two_groups", "beyond": "per_two_beyond",
        "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('per_two');

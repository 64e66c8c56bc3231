-- as owner
SELECT retention._register($row$ {"name": "among", "table_name": "app.note", "hash": "35c38ad45a04",
    "passes": [{"range": true, "ranked": true, "groups": "among_groups", "beyond": "among_beyond", "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('among');

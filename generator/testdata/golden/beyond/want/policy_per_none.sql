-- as owner
SELECT retention._register($row$ {"name": "per_none", "table_name": "app.note", "hash": "b75a5dcd1904",
    "passes": [{"ranked": true, "groups": "per_none_groups", "beyond": "per_none_beyond", "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('per_none');

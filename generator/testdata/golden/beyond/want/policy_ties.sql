-- as owner
SELECT retention._register($row$ {"name": "ties", "table_name": "app.note", "hash": "61969f1be6da",
    "passes": [{"ranked": true, "groups": "ties_groups", "beyond": "ties_beyond", "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('ties');

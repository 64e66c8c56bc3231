-- as owner
SELECT retention._register($row${"name": "notes_cap", "table_name": "app.note", "hash": "8f10abb30b03",
    "passes": [{"ranked": true, "groups": "notes_cap_groups", "beyond": "notes_cap_beyond", "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('notes_cap');

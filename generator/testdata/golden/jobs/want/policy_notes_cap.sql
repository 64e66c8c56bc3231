-- as owner
SELECT retention._register($row$ {"name": "notes_cap", "table_name": "app.note", "hash": "abe2f2303f21",
    "passes": [{"ranked": true, "groups": "notes_cap_groups", "beyond": "notes_cap_beyond", "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('notes_cap');

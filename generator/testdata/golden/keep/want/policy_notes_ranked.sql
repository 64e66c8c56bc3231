-- as owner
SELECT retention._register($row$ {"name": "notes_ranked", "table_name": "app.note", "hash": "5c79da9c8d75",
    "passes": [{"ranked": true, "groups": "notes_ranked_groups", "beyond": "notes_ranked_beyond"}]}$row$);

-- to drop it
SELECT retention._drop_policy('notes_ranked');

-- as owner
SELECT retention._register($row$ {"name": "notes_ranked", "table_name": "app.note", "hash": "36b81aeb7f22",
    "passes": [{"ranked": true, "groups": "notes_ranked_groups", "beyond": "notes_ranked_beyond"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "owner_id": "bigint", "starred": "boolean", "tag": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_ranked');

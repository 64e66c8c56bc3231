-- as owner
SELECT retention._register($row$ {"name": "items_cap", "table_name": "app.note", "hash": "8768ebaaf1d8",
    "passes": [{"ranked": true, "groups": "items_cap_groups", "beyond": "items_cap_beyond"}],
    "steps": [{"step": 1, "verb": "delete", "table": "app.note",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)"}]}$row$);

-- to drop it
SELECT retention._drop_policy('items_cap');

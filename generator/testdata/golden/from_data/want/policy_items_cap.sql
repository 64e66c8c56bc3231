-- as owner
SELECT retention._register($row$ {"name": "items_cap", "table_name": "app.note", "hash": "220f911cc5b2",
    "passes": [{"ranked": true, "groups": "items_cap_groups", "beyond": "items_cap_beyond"}],
    "steps": [{"step": 1, "verb": "delete", "table": "app.note",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone", "owner_id": "bigint"}},
        "app.owner": {"columns": {"days": "integer", "enabled": "boolean", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('items_cap');

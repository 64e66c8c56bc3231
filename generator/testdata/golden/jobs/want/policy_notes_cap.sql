-- as owner
SELECT retention._register($row$ {"name": "notes_cap", "table_name": "app.note", "hash": "494a037ae97b",
    "passes": [{"ranked": true, "groups": "notes_cap_groups", "beyond": "notes_cap_beyond", "indexed": true}],
    "expects": {"app.note": {"columns": {"id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_cap');

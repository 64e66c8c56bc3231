-- as owner
SELECT retention._register($row$ {"name": "among", "table_name": "app.note", "hash": "261dd8dfcad9",
    "passes": [{"range": true, "ranked": true, "groups": "among_groups", "beyond": "among_beyond", "indexed": true}],
    "expects": {"app.note": {"columns": {"id": "bigint", "owner_id": "bigint", "starred": "boolean"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('among');

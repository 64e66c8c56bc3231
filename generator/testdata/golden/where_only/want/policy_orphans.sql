-- as owner
SELECT retention._register($row$ {"name": "orphans", "table_name": "app.note", "hash": "cea5ed251ca5",
    "passes": [{"cursor": [["t.id", "bigint"]], "bound": "true"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "owner_id": "bigint"}},
        "app.owner": {"columns": {"id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('orphans');

-- as owner
SELECT retention._register($row$ {"name": "all_of_them", "table_name": "app.note", "hash": "a1653ea806f9",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "expects": {"app.note": {"columns": {"id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('all_of_them');

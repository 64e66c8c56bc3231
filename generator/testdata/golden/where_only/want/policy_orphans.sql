-- as owner
SELECT retention._register($row$ {"name": "orphans", "table_name": "app.note", "hash": "0594e443f16a",
    "passes": [{"cursor": [["t.id", "bigint"]], "bound": "true"}]}$row$);

-- to drop it
SELECT retention._drop_policy('orphans');

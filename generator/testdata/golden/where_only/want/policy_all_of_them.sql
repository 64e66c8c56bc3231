-- as owner
SELECT retention._register($row$ {"name": "all_of_them", "table_name": "app.note", "hash": "69546e452803",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}]}$row$);

-- to drop it
SELECT retention._drop_policy('all_of_them');

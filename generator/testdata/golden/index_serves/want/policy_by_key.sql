-- as owner
SELECT retention._register($row$ {"name": "by_key", "table_name": "app.served", "hash": "0ccd63577d0f",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}]}$row$);

-- to drop it
SELECT retention._drop_policy('by_key');

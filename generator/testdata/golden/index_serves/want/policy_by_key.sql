-- as owner
SELECT retention._register($row${"name": "by_key", "table_name": "app.served", "hash": "b4f6c7267b35",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}]}$row$);

-- to drop it
SELECT retention._drop_policy('by_key');

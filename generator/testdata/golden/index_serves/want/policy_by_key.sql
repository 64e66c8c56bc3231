-- as owner
SELECT retention._register($row$ {"name": "by_key", "table_name": "app.served", "hash": "4e5a71a47e46",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "expects": {"app.served": {"columns": {"id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_key');

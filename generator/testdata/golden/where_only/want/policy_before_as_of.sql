-- as owner
SELECT retention._register($row$ {"name": "before_as_of", "table_name": "app.note", "hash": "1f22a1124f9d",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}]}$row$);

-- to drop it
SELECT retention._drop_policy('before_as_of');

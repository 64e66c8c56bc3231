-- as owner
SELECT retention._register($row${"name": "before_as_of", "table_name": "app.note", "hash": "fe6184c052cc",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}]}$row$);

-- to drop it
SELECT retention._drop_policy('before_as_of');

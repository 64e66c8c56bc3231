-- as owner
SELECT retention._register($row$ {"name": "before_as_of", "table_name": "app.note", "hash": "a9581bdaee5c",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "kind": "text", "made_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('before_as_of');

-- as owner
SELECT retention._register($row$ {"name": "drafts", "table_name": "app.note", "hash": "ff84a88e3cdc",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "kind": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('drafts');

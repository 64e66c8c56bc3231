-- as owner
SELECT retention._register($row$ {"name": "drafts", "table_name": "app.note", "hash": "6ad585ada44c",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}]}$row$);

-- to drop it
SELECT retention._drop_policy('drafts');

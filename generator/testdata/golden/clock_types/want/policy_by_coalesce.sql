-- as owner
SELECT retention._register($row$ {"name": "by_coalesce", "table_name": "app.clocks", "hash": "3ea258d2063e",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "facts": {"clock": "(coalesce(t.read_at, t.edited_at) + interval '1 day')", "nulls": true,
        "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.clocks": {"columns": {"edited_at": "timestamp with time zone", "id": "bigint",
        "read_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_coalesce');

-- as owner
SELECT retention._register($row$ {"name": "by_cast", "table_name": "app.clocks", "hash": "630c91019c77",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "facts": {"clock": "((t.key_text || '-01')::timestamptz)", "nulls": true,
        "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.clocks": {"columns": {"id": "bigint", "key_text": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_cast');

-- as owner
SELECT retention._register($row$ {"name": "by_cast", "table_name": "app.clocks", "hash": "adfbd903ed54",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "facts": {"clock": "((t.key_text || '-01')::timestamptz)", "nulls": true,
        "ahead": "(($1).as_of + interval '1 years')"}}$row$);

-- to drop it
SELECT retention._drop_policy('by_cast');

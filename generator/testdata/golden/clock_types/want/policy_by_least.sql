-- as owner
SELECT retention._register($row$ {"name": "by_least", "table_name": "app.clocks", "hash": "6314e53a4285",
    "passes": [{"cursor": [["(least(t.read_at, t.edited_at))", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "(least(t.read_at, t.edited_at)) < retention._cutoff(($1).as_of, 0, 0, '36:00:00', 'Europe/Berlin')"}],
    "facts": {"clock": "(least(t.read_at, t.edited_at))", "nulls": true, "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.clocks": {"columns": {"edited_at": "timestamp with time zone", "id": "bigint",
        "read_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_least');

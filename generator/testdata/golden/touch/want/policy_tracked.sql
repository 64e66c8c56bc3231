-- as owner
SELECT retention._register($row$ {"name": "tracked", "table_name": "app.tracked", "hash": "29c0a6b475c0",
    "grants": {"touch": ["app"]},
    "passes": [{"cursor": [["t.read_at", "timestamptz"], ["t.slug", "text"]], "range": true,
        "bound": "t.read_at < retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.read_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.catalogue": {"columns": {"name": "text", "slug": "text"}},
        "app.tracked": {"columns": {"name": "text", "read_at": "timestamp with time zone", "reads": "bigint",
        "slug": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('tracked');

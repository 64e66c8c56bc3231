-- as owner
SELECT retention._register($row$ {"name": "tracked", "table_name": "app.tracked", "hash": "a2cb147ae865",
    "grants": {"touch": ["app"]},
    "passes": [{"cursor": [["t.read_at", "timestamptz"], ["t.slug", "text"]], "range": true,
        "bound": "t.read_at < retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.read_at", "ahead": "(($1).as_of + interval '1 years')"}}$row$);

-- to drop it
SELECT retention._drop_policy('tracked');

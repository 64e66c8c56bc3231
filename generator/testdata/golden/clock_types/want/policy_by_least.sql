-- as owner
SELECT retention._register($row$ {"name": "by_least", "table_name": "app.clocks", "hash": "3eba9e651eb2",
    "passes": [{"cursor": [["(least(t.read_at, t.edited_at))", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "(least(t.read_at, t.edited_at)) < retention._cutoff(($1).as_of, 0, 0, '36:00:00', 'Europe/Berlin')"}],
    "facts": {"clock": "(least(t.read_at, t.edited_at))", "nulls": true, "ahead": "(($1).as_of + interval '1 years')"}}$row$);

-- to drop it
SELECT retention._drop_policy('by_least');

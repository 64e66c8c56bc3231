-- as owner
SELECT retention._register($row$ {"name": "by_age", "table_name": "app.not_served", "hash": "392d6b520ea1",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "nulls": true, "ahead": "(($1).as_of + interval '1 years')"}}$row$);

-- to drop it
SELECT retention._drop_policy('by_age');

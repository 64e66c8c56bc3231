-- as owner
SELECT retention._register($row$ {"name": "by_age", "table_name": "app.served", "hash": "93f648e1c13f",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "ahead": "(($1).as_of + interval '1 years')"}}$row$);

-- to drop it
SELECT retention._drop_policy('by_age');

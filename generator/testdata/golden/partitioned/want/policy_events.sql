-- as owner
SELECT retention._register($row$ {"name": "events", "table_name": "app.event", "hash": "a098ed558d1f",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "ahead": "(($1).as_of + interval '1 years')"}}$row$);

-- to drop it
SELECT retention._drop_policy('events');

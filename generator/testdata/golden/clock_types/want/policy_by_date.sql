-- as owner
SELECT retention._register($row$ {"name": "by_date", "table_name": "app.clocks", "hash": "213b6c0d7efb",
    "passes": [{"cursor": [["t.day", "date"], ["t.id", "bigint"]], "range": true,
        "bound": "t.day < retention._local_floor(retention._cutoff(($1).as_of, 1, 0, '00:00:00', 'Europe/Berlin'), 'Europe/Berlin', false)::date"}],
    "facts": {"clock": "t.day", "nulls": true,
        "ahead": "retention._local_floor((($1).as_of + interval '1 years'), 'Europe/Berlin', false)::date"},
    "expects": {"app.clocks": {"columns": {"day": "date", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_date');

-- as owner
SELECT retention._register($row$ {"name": "by_timestamp", "table_name": "app.clocks", "hash": "7e3e44e2188a",
    "passes": [{"cursor": [["t.at", "timestamp"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._local_floor(retention._cutoff(($1).as_of, 0, 1, '00:00:00', 'Europe/Berlin'), 'Europe/Berlin', false)"}],
    "facts": {"clock": "t.at", "nulls": true,
        "ahead": "retention._local_floor((($1).as_of + interval '1 years'), 'Europe/Berlin', false)"},
    "expects": {"app.clocks": {"columns": {"at": "timestamp without time zone", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_timestamp');

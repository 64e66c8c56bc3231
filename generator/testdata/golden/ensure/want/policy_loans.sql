-- as owner
SELECT retention._register($row$ {"name": "loans", "table_name": "app.loan", "hash": "ca69b163ff9d",
    "passes": [{"cursor": [["t.created_at", "timestamp"], ["t.id", "bigint"]], "range": true,
        "bound": "t.created_at < retention._local_floor(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'), 'UTC', false)"}],
    "facts": {"clock": "t.created_at", "nulls": true,
        "ahead": "retention._local_floor((($1).as_of + interval '1 years'), 'UTC', false)"},
    "expects": {"app.loan": {"columns": {"created_at": "timestamp without time zone", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('loans');

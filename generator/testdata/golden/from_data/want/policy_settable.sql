-- as owner
SELECT retention._register($row$ {"name": "settable", "table_name": "app.loan", "hash": "d44bc674d468",
        "window_own": "0 months 30 days 00:00:00", "window_at_least": "0 months 1 days 00:00:00",
        "window_at_most": "0 months 90 days 00:00:00",
    "passes": [{"cursor": [["t.used_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.used_at < retention._cutoff_of(($1).as_of, coalesce(($1).older_than, '0 months 30 days 00:00:00'), 'UTC')"}],
    "facts": {"clock": "t.used_at", "nulls": true, "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.loan": {"columns": {"id": "bigint", "used_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('settable');

-- as owner
SELECT retention._register($row$ {"name": "notes_old", "table_name": "app.note", "hash": "f1b47f6faff0",
        "batch_rows": 100, "batch_time_ms": null, "lock_timeout_ms": 2000, "budget_rows": 300, "budget_time": "1h0m0s",
        "breaker_rows": 10000, "breaker_fraction": 0.1, "busy": 0.5,
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_old');

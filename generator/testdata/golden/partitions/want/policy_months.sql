-- as owner
SELECT retention._register($row$ {"name": "months", "table_name": "app.event", "hash": "02945452154a",
        "partitions": true, "batch_rows": 10, "batch_time_ms": null, "breaker_fraction": null,
    "passes": [{}],
    "facts": {"clock": "d.upper", "value": "t.upper", "where": "(t.name LIKE 'event_%')",
        "ahead": "retention._local_floor((($1).as_of + interval '1 years'), 'UTC', true)::date"},
    "steps": [{"step": 1, "verb": "detach", "table": "app.event"}],
    "changes": ["app.event"],
    "expects": {"app.event": {"kind": "partitioned"}}}$row$);

-- to drop it
SELECT retention._drop_policy('months');

-- as owner
SELECT retention._register($row$ {"name": "envelopes", "table_name": "app.envelope", "hash": "e50c48d30d21",
        "partitions": true, "batch_rows": 10, "batch_time_ms": null, "breaker_fraction": null,
    "passes": [{}],
    "facts": {"clock": "d.upper"},
    "steps": [{"step": 1, "verb": "drop", "table": "app.envelope"}],
    "changes": ["app.envelope"],
    "expects": {"app.envelope": {"kind": "partitioned"}}}$row$);

-- to drop it
SELECT retention._drop_policy('envelopes');

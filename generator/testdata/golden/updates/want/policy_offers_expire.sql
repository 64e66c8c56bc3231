-- as owner
SELECT retention._register($row$ {"name": "offers_expire", "table_name": "app.note", "hash": "45636b959984",
    "passes": [{"cursor": [["t.expires_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.expires_at < retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.expires_at", "where": "(t.state IS DISTINCT FROM 'expired')", "nulls": true,
        "ahead": "(($1).as_of + interval '10 years')"},
    "steps": [{"step": 1, "verb": "update", "table": "app.note",
        "differs": "(t.state IS DISTINCT FROM ('expired') OR t.seen_at IS DISTINCT FROM (($1).as_of))"}],
    "sets": [{"step": 1, "table": "app.note", "set": {"seen_at": "as_of", "state": "'expired'"}}],
    "expects": {"app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint",
        "seen_at": "timestamp with time zone", "state": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('offers_expire');

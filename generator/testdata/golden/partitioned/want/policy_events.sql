-- as owner
SELECT retention._register($row$ {"name": "events", "table_name": "app.event", "hash": "4df4c61aff4a",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.event": {"kind": "partitioned", "columns": {"at": "timestamp with time zone", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('events');

-- as owner
SELECT retention._register($row$ {"name": "notes_by_score", "table_name": "app.note", "hash": "c1d3db7bee87",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.made_at < greatest(retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC'), retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))",
        "filtered": true}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone",
        "score": "double precision", "starred": "boolean"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_by_score');

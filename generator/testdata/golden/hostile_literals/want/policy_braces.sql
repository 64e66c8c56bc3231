-- as owner
SELECT retention._register($row$ {"name": "braces", "table_name": "app.note", "hash": "a1da78d7f2ba",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 1, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.made_at", "where": "(t.kind <> '{{ .Table }} {{ end }}')",
        "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "kind": "text", "made_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('braces');

-- as owner
SELECT retention._register($row$ {"name": "notes_grace", "table_name": "app.note", "hash": "9f5c98e65e76",
    "passes": [{"cursor": [["t.expires_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.expires_at <= retention._cutoff(($1).as_of, 14, 3, '04:05:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.expires_at", "where": "(t.kind = 'draft' AND NOT t.starred)", "nulls": true,
        "ahead": "(($1).as_of + interval '10 years')"},
    "expects": {"app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint", "kind": "text",
        "starred": "boolean"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_grace');

-- as owner
SELECT retention._register($row$ {"name": "notes_unseen", "table_name": "app.note", "hash": "01bda3f3cbe0",
    "passes": [{"cursor": [["t.seen_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.seen_at <= retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC')"},
        {"cursor": [["t.id", "bigint"]], "bound": "true"}],
    "facts": {"clock": "t.seen_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"seen_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_unseen');

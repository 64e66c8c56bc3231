-- as owner
SELECT keeper._register($row$ {"name": "notes_old", "table_name": "app.note", "hash": "1cacaba49d79",
        "description": "The owner's notes: kept for a week.",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.made_at < keeper._cutoff(($1).as_of, 0, 7, '00:00:00', 'America/New_York')", "guarded": true,
        "share": "notes_old_share"}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone"}},
        "app.review": {"columns": {"note_id": "bigint"}}}}$row$);

-- to drop it
SELECT keeper._drop_policy('notes_old');

-- as owner
SELECT retention._register($row$ {"name": "notes_kept", "table_name": "app.note", "hash": "7d108c676e35",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone", "owner_id": "bigint",
        "starred": "boolean", "tag": "text"}}, "app.review": {"columns": {"note_id": "bigint", "open": "boolean"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_kept');

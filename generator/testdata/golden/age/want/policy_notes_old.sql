-- as owner
SELECT retention._register($row$ {"name": "notes_old", "table_name": "app.note", "hash": "8f34033b17ce",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_old');

-- as owner
SELECT retention._register($row$ {"name": "notes_both", "table_name": "app.note", "hash": "c916761c107c",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "ranked": true,
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone", "owner_id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_both');

-- as owner
SELECT retention._register($row$ {"name": "notes_expired", "table_name": "app.note", "hash": "7b2999fdb396",
    "passes": [{"cursor": [["t.expires_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.expires_at < retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.expires_at", "nulls": true, "ahead": "(($1).as_of + interval '10 years')"},
    "expects": {"app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_expired');

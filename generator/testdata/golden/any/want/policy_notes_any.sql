-- as owner
SELECT retention._register($row$ {"name": "notes_any", "table_name": "app.note", "hash": "dc71d74e4b00",
    "passes": [{"ranked": true, "groups": "notes_any_groups", "beyond": "notes_any_beyond", "indexed": true},
        {"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.made_at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')", "filtered": true},
        {"cursor": [["t.expires_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.expires_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')", "filtered": true},
        {"cursor": [["t.id", "bigint"]], "bound": "true"}],
    "expects": {"app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint", "kind": "text",
        "made_at": "timestamp with time zone", "owner_id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_any');

-- as owner
SELECT retention._register($row$ {"name": "goose", "table_name": "app.note", "hash": "d4d28deda7b0",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 1, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.made_at", "where": "(t.kind <> '-- +goose Down' AND t.tag <> '+goose StatementEnd')",
        "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.note": {"columns": {"id": "bigint", "kind": "text", "made_at": "timestamp with time zone",
        "tag": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('goose');

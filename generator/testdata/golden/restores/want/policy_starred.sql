-- as owner
SELECT retention._register($row$ {"name": "starred", "table_name": "app.note", "hash": "81ed60b750aa",
    "passes": [{"cursor": [["t.expires_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.expires_at < retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.expires_at", "where": "(NOT t.starred)", "nulls": true,
        "ahead": "(($1).as_of + interval '10 years')"},
    "steps": [{"step": 1, "verb": "update", "table": "app.note", "differs": "t.starred IS DISTINCT FROM (true)"}],
    "sets": [{"step": 1, "table": "app.note", "set": {"starred": "true"}}],
    "restores": [{"table": "app.note", "from": "retention.undo", "run": "run_id", "same": {"policy": "'starred'",
        "step": "1"}, "key": ["id"], "columns": {"id": "bigint", "starred": "boolean"}, "set": {"starred": "false"}}],
    "expects": {"app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint",
        "starred": "boolean"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('starred');

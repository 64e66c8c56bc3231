-- as owner
SELECT retention._register($row$ {"name": "dibs_expire", "table_name": "app.note", "hash": "7fa45f715436",
    "passes": [{"cursor": [["t.expires_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.expires_at < retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.expires_at", "where": "(NOT t.starred)", "nulls": true,
        "ahead": "(($1).as_of + interval '10 years')"},
    "steps": [{"step": 1, "verb": "update", "table": "app.note", "differs": "t.starred IS DISTINCT FROM (true)"},
        {"step": 2, "verb": "update", "table": "app.loan", "related": "app.loan", "as": "l", "on": "l.note_id = t.id",
        "differs": "l.used_at IS DISTINCT FROM (NULL)"},
        {"step": 3, "verb": "update", "table": "app.owner", "related": "app.owner", "as": "o",
        "on": "o.id = t.owner_id", "differs": "o.days IS DISTINCT FROM (length(t.kind))"}],
    "sets": [{"step": 1, "table": "app.note", "set": {"starred": "true"}},
        {"step": 2, "table": "app.loan", "set": {"used_at": "NULL"}},
        {"step": 3, "table": "app.owner", "set": {"days": null}}],
    "restores": [{"table": "app.note", "from": "retention.undo", "run": "run_id", "same": {"policy": "'dibs_expire'",
        "step": "1"}, "key": ["id"], "columns": {"id": "bigint", "starred": "boolean"}, "set": {"starred": "false"}}],
    "expects": {"app.loan": {"columns": {"id": "bigint", "note_id": "bigint", "used_at": "timestamp with time zone"}},
        "app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint", "kind": "text",
        "owner_id": "bigint", "starred": "boolean"}}, "app.owner": {"columns": {"days": "integer", "id": "bigint"},
        "key": ["id"]}}}$row$);

-- to drop it
SELECT retention._drop_policy('dibs_expire');

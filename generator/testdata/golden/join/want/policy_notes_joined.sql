-- as owner
SELECT retention._register($row$ {"name": "notes_joined", "table_name": "app.note", "hash": "cf22da78ef98",
        "prepares": true,
    "owns": ["retention.notes_joined_c"],
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.made_at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.made_at",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.notes_joined_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) LEFT JOIN LATERAL (SELECT max(x.used_at) AS used_at FROM app.loan x WHERE x.note_id = t.id AND x.used_at < ($1).as_of) l ON true",
        "where": "(NOT o.enabled AND c.kept IS NOT TRUE)", "ahead": "(($1).as_of + interval '1 years')"},
    "steps": [{"step": 1, "verb": "delete", "table": "app.note",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.notes_joined_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, kept FROM app.config WHERE days > 0) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) LEFT JOIN LATERAL (SELECT max(x.used_at) AS used_at FROM app.loan x WHERE x.note_id = t.id AND x.used_at < ($1).as_of) l ON true"}],
    "expects": {"app.config": {"columns": {"days": "integer", "kept": "boolean", "kind": "text"}},
        "app.loan": {"columns": {"id": "bigint", "note_id": "bigint", "used_at": "timestamp with time zone"}},
        "app.note": {"columns": {"id": "bigint", "kind": "text", "made_at": "timestamp with time zone",
        "owner_id": "bigint"}}, "app.owner": {"columns": {"days": "integer", "enabled": "boolean", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_joined');

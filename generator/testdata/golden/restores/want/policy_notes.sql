-- as owner
SELECT retention._register($row$ {"name": "notes", "table_name": "app.note", "hash": "aab4b23c99cf",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')",
        "archives": {"app.attic": "transfer_id", "app.old_note": "run_id"}},
    "steps": [{"step": 1, "verb": "archive", "table": "app.old_note", "key": ["id"]},
        {"step": 2, "verb": "archive", "table": "app.attic", "related": "app.loan", "as": "l",
        "on": "l.note_id = t.id"},
        {"step": 3, "verb": "delete", "table": "app.loan", "related": "app.loan", "as": "l", "on": "l.note_id = t.id"},
        {"step": 4, "verb": "delete", "table": "app.note"}],
    "related": ["app.loan"],
    "changes": ["app.note", "app.loan"],
    "restores": [{"table": "app.note", "from": "app.old_note", "run": "run_id", "key": ["id"],
        "columns": {"expires_at": "timestamp with time zone", "id": "bigint", "kind": "text",
        "made_at": "timestamp with time zone", "owner_id": "bigint", "score": "double precision",
        "seen_at": "timestamp with time zone", "starred": "boolean", "state": "text", "tag": "text"}},
        {"table": "app.loan", "from": "app.attic", "run": "transfer_id", "same": {"kind": "'loan'"}, "document": "body",
        "stays": true, "key": ["id"], "columns": {"id": "bigint", "note_id": "bigint",
        "used_at": "timestamp with time zone"}}],
    "expects": {"app.attic": {"columns": {"kind": "text"}}, "app.loan": {"columns": {"id": "bigint",
        "note_id": "bigint"}}, "app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint",
        "kind": "text", "made_at": "timestamp with time zone", "owner_id": "bigint", "score": "double precision",
        "seen_at": "timestamp with time zone", "starred": "boolean", "state": "text", "tag": "text"}, "whole": true}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes');

-- as owner
SELECT retention._register($row$ {"name": "signals", "table_name": "app.note", "hash": "277d0afe98b4",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.made_at", "ahead": "(($1).as_of + interval '1 years')",
        "archives": {"app.old_note": "run_id"}},
    "steps": [{"step": 1, "verb": "insert", "table": "app.daily", "where": "t.kind <> 'x'",
        "notes": ["so many at most, since rows of one group become one, or change one that is there"]},
        {"step": 2, "verb": "archive", "table": "app.old_note", "key": ["id"]},
        {"step": 3, "verb": "insert", "table": "retention.event"}, {"step": 4, "verb": "delete", "table": "app.note"}],
    "writes": ["DELETE app.note", "INSERT app.daily", "INSERT app.old_note", "UPDATE app.daily"],
    "sets": [{"step": 1, "table": "app.daily", "set": {"at": null, "last_kind": null, "n": null, "top": null}}],
    "restores": [{"table": "app.note", "from": "app.old_note", "run": "run_id", "key": ["id"],
        "columns": {"expires_at": "timestamp with time zone", "id": "bigint", "kind": "text",
        "made_at": "timestamp with time zone", "owner_id": "bigint", "score": "double precision",
        "seen_at": "timestamp with time zone", "starred": "boolean", "state": "text", "tag": "text"}}],
    "expects": {"app.daily": {"columns": {"at": "timestamp with time zone", "day": "date", "last_kind": "text",
        "n": "bigint", "owner_id": "bigint", "top": "double precision"}},
        "app.note": {"columns": {"expires_at": "timestamp with time zone", "id": "bigint", "kind": "text",
        "made_at": "timestamp with time zone", "owner_id": "bigint", "score": "double precision",
        "seen_at": "timestamp with time zone", "starred": "boolean", "state": "text", "tag": "text"}, "whole": true}}}$row$);

-- to drop it
SELECT retention._drop_policy('signals');

-- as owner
SELECT retention._register($row$ {"name": "notes_by_owner", "table_name": "app.note", "hash": "db03d094aa02",
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.made_at < greatest(retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC'), retention._cutoff(($1).as_of, 0, 90, '00:00:00', 'UTC'))",
        "filtered": true}],
    "facts": {"clock": "t.made_at", "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)",
        "ahead": "(($1).as_of + interval '1 years')"},
    "steps": [{"step": 1, "verb": "delete", "table": "app.note",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id)"}],
    "expects": {"app.note": {"columns": {"id": "bigint", "made_at": "timestamp with time zone", "owner_id": "bigint",
        "score": "double precision", "state": "text"}}, "app.owner": {"columns": {"enabled": "boolean",
        "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('notes_by_owner');

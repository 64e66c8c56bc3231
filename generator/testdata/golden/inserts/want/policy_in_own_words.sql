-- as owner
SELECT retention._register($row$ {"name": "in_own_words", "table_name": "app.loan", "hash": "f9fdaed1ad44",
    "passes": [{"cursor": [["t.used_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.used_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.used_at", "nulls": true, "ahead": "(($1).as_of + interval '1 years')"},
    "steps": [{"step": 1, "verb": "sql", "table": "app.attic", "notes": ["a statement in the policy's own words"],
        "blind": true}, {"step": 2, "verb": "delete", "table": "app.loan"}],
    "writes": ["DELETE app.loan", "INSERT app.attic"],
    "expects": {"app.attic": {"columns": {"body": "jsonb", "kind": "text", "reason": "text", "transfer_id": "bigint"}},
        "app.loan": {"columns": {"id": "bigint", "used_at": "timestamp with time zone"}, "key": ["id"]}}}$row$);

-- to drop it
SELECT retention._drop_policy('in_own_words');

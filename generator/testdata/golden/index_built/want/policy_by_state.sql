-- as owner
SELECT retention._register($row$ {"name": "by_state", "table_name": "app.not_served", "hash": "30ec6ceb2b1c",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')", "filtered": true}],
    "facts": {"clock": "t.at", "where": "(t.state = 'done' AND t.owner_id IN (1, 2))", "nulls": true,
        "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.not_served": {"columns": {"at": "timestamp with time zone", "id": "bigint", "owner_id": "bigint",
        "state": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_state');

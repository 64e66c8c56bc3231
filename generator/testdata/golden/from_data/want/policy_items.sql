-- as owner
SELECT retention._register($row$ {"name": "items", "table_name": "app.note", "hash": "d42dbcfa61a0", "prepares": true,
    "scope": ["owner_id"], "window_own": "0 months 30 days 00:00:00", "window_at_least": "0 months 7 days 00:00:00",
        "window_at_most": "0 months 365 days 00:00:00",
    "owns": ["retention.items_c"],
    "passes": [{"cursor": [["t.made_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC') AND t.made_at <= CASE WHEN ($1).inputs IS NULL THEN (SELECT max(used_at) FROM app.loan)::timestamptz ELSE (($1).inputs ->> 'up_to_1')::timestamptz END",
        "filtered": true}],
    "facts": {"clock": "t.made_at",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.items_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, max(days) AS days FROM app.config WHERE ($1).as_of IS NOT NULL GROUP BY kind) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) CROSS JOIN LATERAL (SELECT (coalesce(c.days, o.days)) AS value) v_window_1_1",
        "ahead": "(($1).as_of + interval '1 years')"},
    "steps": [{"step": 1, "verb": "delete", "table": "app.note",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN (SELECT s.* FROM retention.items_c s WHERE ($1).inputs IS NOT NULL UNION ALL SELECT q.* FROM (SELECT kind, max(days) AS days FROM app.config WHERE ($1).as_of IS NOT NULL GROUP BY kind) q WHERE ($1).inputs IS NULL) c ON (c.kind = t.kind) CROSS JOIN LATERAL (SELECT (coalesce(c.days, o.days)) AS value) v_window_1_1"}],
    "expects": {"app.config": {"columns": {"days": "integer", "kind": "text"}}, "app.loan": {"columns": {"id": "bigint",
        "used_at": "timestamp with time zone"}}, "app.note": {"columns": {"id": "bigint", "kind": "text",
        "made_at": "timestamp with time zone", "owner_id": "bigint"}}, "app.owner": {"columns": {"days": "integer",
        "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('items');

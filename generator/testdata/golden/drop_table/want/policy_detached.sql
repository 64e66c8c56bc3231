-- as owner
SELECT retention._register($row$ {"name": "detached", "table_name": "app.detached", "hash": "5d6fbac81f9f",
        "batch_rows": 10, "batch_time_ms": null,
    "passes": [{"cursor": [["t.drop_after", "timestamptz"], ["t.name", "text"]],
        "bound": "t.drop_after < retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.drop_after", "ahead": "(($1).as_of + interval '10 years')"},
    "steps": [{"step": 1, "verb": "drop table", "table": "app.detached", "name": "t.name"},
        {"step": 2, "verb": "delete", "table": "app.detached"}],
    "expects": {"app.detached": {"columns": {"drop_after": "timestamp with time zone", "name": "text"},
        "key": ["name"]}}}$row$);

-- to drop it
SELECT retention._drop_policy('detached');

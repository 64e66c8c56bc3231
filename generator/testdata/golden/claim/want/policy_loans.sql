-- as owner
SELECT retention._register($row$ {"name": "loans", "table_name": "app.loan", "hash": "ed20d9768d57",
    "passes": [{"cursor": [["t.used_at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.used_at <= retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')"},
        {"cursor": [["t.id", "bigint"]], "bound": "true"}],
    "facts": {"clock": "t.used_at", "ahead": "(($1).as_of + interval '10 years')"},
    "expects": {"app.loan": {"columns": {"used_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('loans');

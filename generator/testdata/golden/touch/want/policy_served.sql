-- as owner
SELECT retention._register($row$ {"name": "served", "table_name": "app.served", "hash": "931b1125e34a",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "ahead": "(($1).as_of + interval '1 years')"},
    "expects": {"app.served": {"columns": {"at": "timestamp with time zone", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('served');

-- as owner
SELECT retention._register($row$ {"name": "served", "table_name": "app.served", "hash": "48c55e6ab5fb",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 0, 30, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "ahead": "(($1).as_of + interval '1 years')"}}$row$);

-- to drop it
SELECT retention._drop_policy('served');

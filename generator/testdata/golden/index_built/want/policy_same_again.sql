-- as owner
SELECT retention._register($row$ {"name": "same_again", "table_name": "app.not_served", "hash": "005ed956669e",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]], "range": true,
        "bound": "t.at < retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "nulls": true, "ahead": "(($1).as_of + interval '10 years')"},
    "expects": {"app.not_served": {"columns": {"at": "timestamp with time zone", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('same_again');

-- as owner
SELECT retention._register($row$ {"name": "offers_rotate", "table_name": "app.note", "hash": "4ce316305634",
    "passes": [{"cursor": [["t.id", "bigint"]], "bound": "true"}],
    "facts": {"clock": "t.expires_at", "nulls": true, "ahead": "(($1).as_of + interval '10 years')"},
    "steps": [{"step": 1, "verb": "update", "table": "app.note",
        "differs": "t.expires_at IS DISTINCT FROM (($1).as_of + interval '1 month')"}],
    "sets": [{"step": 1, "table": "app.note", "set": {"expires_at": null}}],
    "expects": {"app.note": {"columns": {"expires_at": "timestamp with time zone"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('offers_rotate');

-- as owner
SELECT retention._register($row$ {"name": "epoch_expression", "table_name": "app.clocks", "hash": "2d5db899e1b1",
    "passes": [{"cursor": [["t.id", "bigint"]], "range": true, "bound": "true"}],
    "facts": {"clock": "(t.snow / 1000)", "nulls": true,
        "ahead": "retention._epoch_ms((($1).as_of + interval '1 years'))"},
    "expects": {"app.clocks": {"columns": {"id": "bigint", "snow": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('epoch_expression');

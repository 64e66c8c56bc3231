-- as owner
SELECT retention._register($row$ {"name": "epoch_ms_numeric", "table_name": "app.clocks", "hash": "b4ebd2442a5f",
    "passes": [{"cursor": [["t.epoch_ms_numeric", "numeric"], ["t.id", "bigint"]], "range": true,
        "bound": "t.epoch_ms_numeric < extract(epoch FROM retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')) * 1000"}],
    "facts": {"clock": "t.epoch_ms_numeric", "nulls": true,
        "ahead": "extract(epoch FROM (($1).as_of + interval '1 years')) * 1000"},
    "expects": {"app.clocks": {"columns": {"epoch_ms_numeric": "numeric(20,3)", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('epoch_ms_numeric');

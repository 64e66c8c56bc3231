-- as owner
SELECT retention._register($row$ {"name": "epoch_ms_float", "table_name": "app.clocks", "hash": "7d55ed661e13",
    "passes": [{"cursor": [["t.epoch_ms_float", "double precision"], ["t.id", "bigint"]], "range": true,
        "bound": "t.epoch_ms_float < (extract(epoch FROM retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')) * 1000)::double precision"}],
    "facts": {"clock": "t.epoch_ms_float", "nulls": true,
        "ahead": "(extract(epoch FROM (($1).as_of + interval '1 years')) * 1000)::double precision"},
    "expects": {"app.clocks": {"columns": {"epoch_ms_float": "double precision", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('epoch_ms_float');

-- as owner
SELECT retention._register($row$ {"name": "epoch_s_numeric", "table_name": "app.clocks", "hash": "b5817e99b301",
    "passes": [{"cursor": [["t.epoch_s_numeric", "numeric"], ["t.id", "bigint"]], "range": true,
        "bound": "t.epoch_s_numeric < extract(epoch FROM retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))"}],
    "facts": {"clock": "t.epoch_s_numeric", "nulls": true,
        "ahead": "extract(epoch FROM (($1).as_of + interval '1 years'))"},
    "expects": {"app.clocks": {"columns": {"epoch_s_numeric": "numeric", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('epoch_s_numeric');

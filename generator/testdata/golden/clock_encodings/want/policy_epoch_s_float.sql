-- as owner
SELECT retention._register($row$ {"name": "epoch_s_float", "table_name": "app.clocks", "hash": "86d5b67794aa",
    "passes": [{"cursor": [["t.epoch_s_float", "double precision"], ["t.id", "bigint"]], "range": true,
        "bound": "t.epoch_s_float < extract(epoch FROM retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))::double precision"}],
    "facts": {"clock": "t.epoch_s_float", "nulls": true,
        "ahead": "extract(epoch FROM (($1).as_of + interval '1 years'))::double precision"},
    "expects": {"app.clocks": {"columns": {"epoch_s_float": "double precision", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('epoch_s_float');

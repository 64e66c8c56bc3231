-- as owner
SELECT retention._register($row$ {"name": "epoch_ms_big", "table_name": "app.clocks", "hash": "965fe9fd6aa3",
    "passes": [{"cursor": [["t.epoch_ms_big", "bigint"], ["t.id", "bigint"]], "range": true,
        "bound": "t.epoch_ms_big < retention._epoch_ms(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))"}],
    "facts": {"clock": "t.epoch_ms_big", "nulls": true,
        "ahead": "retention._epoch_ms((($1).as_of + interval '1 years'))"},
    "expects": {"app.clocks": {"columns": {"epoch_ms_big": "bigint", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('epoch_ms_big');

-- as owner
SELECT retention._register($row$ {"name": "epoch_s_int", "table_name": "app.clocks", "hash": "df4ee7d03134",
    "passes": [{"cursor": [["t.epoch_s_int", "bigint"], ["t.id", "bigint"]], "range": true,
        "bound": "t.epoch_s_int < floor(extract(epoch FROM retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')))::bigint"}],
    "facts": {"clock": "t.epoch_s_int", "nulls": true,
        "ahead": "floor(extract(epoch FROM (($1).as_of + interval '1 years')))::bigint"},
    "expects": {"app.clocks": {"columns": {"epoch_s_int": "integer", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('epoch_s_int');

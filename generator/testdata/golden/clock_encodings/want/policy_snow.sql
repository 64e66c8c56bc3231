-- as owner
SELECT retention._register($row$ {"name": "snow", "table_name": "app.clocks", "hash": "81644e87d817",
    "passes": [{"cursor": [["t.snow", "bigint"], ["t.id", "bigint"]], "range": true,
        "bound": "t.snow < retention._snowflake_floor(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'), 1288834974657, 22)"}],
    "facts": {"clock": "t.snow", "nulls": true,
        "ahead": "retention._snowflake_floor((($1).as_of + interval '1 years'), 1288834974657, 22)"},
    "expects": {"app.clocks": {"columns": {"id": "bigint", "snow": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('snow');

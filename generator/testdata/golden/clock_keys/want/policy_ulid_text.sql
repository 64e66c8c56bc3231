-- as owner
SELECT retention._register($row$ {"name": "ulid_text", "table_name": "app.clocks", "hash": "394c64679eaf",
    "passes": [{"cursor": [["t.ulid_text", "text"], ["t.id", "bigint"]], "range": true,
        "bound": "t.ulid_text < retention._ulid_floor(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))",
        "filtered": true}],
    "facts": {"clock": "t.ulid_text", "nulls": true,
        "ahead": "retention._ulid_floor((($1).as_of + interval '1 years'))"},
    "expects": {"app.clocks": {"columns": {"id": "bigint", "ulid_text": "character varying(26)"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('ulid_text');

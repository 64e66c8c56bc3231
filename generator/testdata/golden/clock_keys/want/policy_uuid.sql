-- as owner
SELECT retention._register($row$ {"name": "uuid", "table_name": "app.clocks", "hash": "18f00dc0af54",
    "passes": [{"cursor": [["t.key_uuid", "uuid"], ["t.id", "bigint"]], "range": true,
        "bound": "t.key_uuid < retention._uuid_floor(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))",
        "filtered": true}],
    "facts": {"clock": "(t.key_uuid)::text", "at": "t.key_uuid", "nulls": true,
        "ahead": "retention._uuid_floor((($1).as_of + interval '1 years'))"},
    "expects": {"app.clocks": {"columns": {"id": "bigint", "key_uuid": "uuid"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('uuid');

-- as owner
SELECT retention._register($row$ {"name": "ulid", "table_name": "app.clocks", "hash": "72d811a57a1f",
    "passes": [{"cursor": [["t.ulid_uuid", "uuid"], ["t.id", "bigint"]], "range": true,
        "bound": "t.ulid_uuid < retention._uuid_floor(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'))"}],
    "facts": {"clock": "(t.ulid_uuid)::text", "at": "t.ulid_uuid", "nulls": true,
        "ahead": "retention._uuid_floor((($1).as_of + interval '1 years'))"},
    "expects": {"app.clocks": {"columns": {"id": "bigint", "ulid_uuid": "uuid"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('ulid');

-- as owner
SELECT retention._register($row$ {"name": "events_cap", "table_name": "app.event", "hash": "dfe9f58f323e",
    "passes": [{"ranked": true, "groups": "events_cap_groups", "beyond": "events_cap_beyond", "indexed": true}],
    "expects": {"app.event": {"kind": "partitioned", "columns": {"at": "timestamp with time zone", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('events_cap');

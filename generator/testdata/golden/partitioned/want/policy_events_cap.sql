-- as owner
SELECT retention._register($row$ {"name": "events_cap", "table_name": "app.event", "hash": "5c9002cee59b",
    "passes": [{"ranked": true, "groups": "events_cap_groups", "beyond": "events_cap_beyond", "indexed": true}]}$row$);

-- to drop it
SELECT retention._drop_policy('events_cap');

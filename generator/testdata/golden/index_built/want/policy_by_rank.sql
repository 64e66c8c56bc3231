-- as owner
SELECT retention._register($row$ {"name": "by_rank", "table_name": "app.not_served", "hash": "a57c6c920e8d",
    "passes": [{"ranked": true, "groups": "by_rank_groups", "beyond": "by_rank_beyond"}],
    "expects": {"app.not_served": {"columns": {"at": "timestamp with time zone", "id": "bigint",
        "owner_id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('by_rank');

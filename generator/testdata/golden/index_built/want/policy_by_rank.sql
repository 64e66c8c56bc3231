-- as owner
SELECT retention._register($row$ {"name": "by_rank", "table_name": "app.not_served", "hash": "364e60bd2ac7",
    "passes": [{"ranked": true, "groups": "by_rank_groups", "beyond": "by_rank_beyond"}]}$row$);

-- to drop it
SELECT retention._drop_policy('by_rank');

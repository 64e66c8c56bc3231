-- as owner
SELECT retention._register($row$ {"name": "per_nullable", "table_name": "app.note", "hash": "2eb291515b89",
    "passes": [{"ranked": true, "groups": "per_nullable_groups", "beyond": "per_nullable_beyond"}]}$row$);

-- to drop it
SELECT retention._drop_policy('per_nullable');

-- as owner
SELECT retention._register($row$ {"name": "per_expression", "table_name": "app.note", "hash": "0e739886e3cc",
    "passes": [{"ranked": true, "groups": "per_expression_groups", "beyond": "per_expression_beyond"}]}$row$);

-- to drop it
SELECT retention._drop_policy('per_expression');

-- as owner
SELECT retention._register($row$ {"name": "ties", "table_name": "app.note", "hash": "e4aa7eef377f",
    "passes": [{"ranked": true, "groups": "ties_groups", "beyond": "ties_beyond", "indexed": true}],
    "expects": {"app.note": {"columns": {"id": "bigint", "owner_id": "bigint", "score": "double precision"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('ties');

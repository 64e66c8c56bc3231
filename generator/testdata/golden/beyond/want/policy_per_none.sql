-- as owner
SELECT retention._register($row$ {"name": "per_none", "table_name": "app.note", "hash": "6d149cd93248",
    "passes": [{"ranked": true, "groups": "per_none_groups", "beyond": "per_none_beyond", "indexed": true}],
    "expects": {"app.note": {"columns": {"id": "bigint", "score": "double precision"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('per_none');

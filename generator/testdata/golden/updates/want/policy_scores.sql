-- as owner
SELECT retention._register($row$ {"name": "scores", "table_name": "app.note", "hash": "b1e40109f010",
    "passes": [{"cursor": [["t.id", "bigint"]], "bound": "true"}],
    "steps": [{"step": 1, "verb": "update", "table": "app.note",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN LATERAL (SELECT o.days * 0.5 AS score) d ON true",
        "differs": "t.score IS DISTINCT FROM (d.score)"}],
    "sets": [{"step": 1, "table": "app.note", "set": {"score": null}}],
    "expects": {"app.note": {"columns": {"id": "bigint", "owner_id": "bigint", "score": "double precision"},
        "key": ["id"]}, "app.owner": {"columns": {"days": "integer", "id": "bigint"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('scores');

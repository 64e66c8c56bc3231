-- as owner
SELECT retention._register($row$ {"name": "scores", "table_name": "app.note", "hash": "fdc54b80fb6c",
    "passes": [{"cursor": [["t.id", "bigint"]], "bound": "true"}],
    "steps": [{"step": 1, "verb": "update", "table": "app.note",
        "from": "FROM app.note t LEFT JOIN app.owner o ON (o.id = t.owner_id) LEFT JOIN LATERAL (SELECT o.days * 0.5 AS score) d ON true",
        "differs": "t.score IS DISTINCT FROM (d.score)"}],
    "sets": [{"step": 1, "table": "app.note", "set": {"score": null}}]}$row$);

-- to drop it
SELECT retention._drop_policy('scores');

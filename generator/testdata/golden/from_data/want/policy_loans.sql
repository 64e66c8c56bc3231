-- as owner
SELECT retention._register($row$ {"name": "loans", "table_name": "app.loan", "hash": "b2a2614da69d",
    "passes": [{"cursor": [["t.id", "bigint"]],
        "bound": "t.id > (SELECT t.id FROM app.rolled t WHERE (t.what = 'loan'))", "whole": true}],
    "facts": {"clock": "t.id"},
    "steps": [{"step": 1, "verb": "insert", "table": "app.attic"},
        {"step": 2, "verb": "update", "table": "app.rolled", "notes": ["it says how far a run has come"],
        "blind": true}],
    "sets": [{"step": 0, "table": "app.rolled", "set": {"id": null}}],
    "expects": {"app.attic": {"columns": {"body": "jsonb", "kind": "text", "reason": "text", "transfer_id": "bigint"}},
        "app.loan": {"columns": {"id": "bigint"}}, "app.rolled": {"columns": {"id": "bigint", "what": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('loans');

-- as owner
SELECT retention._register($row$ {"name": "loans", "table_name": "app.loan", "hash": "647bc526a62d",
    "passes": [{"cursor": [["t.id", "bigint"]],
        "bound": "t.id > (SELECT t.id FROM app.rolled t WHERE (t.what = 'loan'))", "whole": true}],
    "facts": {"clock": "t.id"},
    "steps": [{"step": 1, "verb": "insert", "table": "app.attic"},
        {"step": 2, "verb": "update", "table": "app.rolled", "notes": ["it says how far a run has come"],
        "blind": true}],
    "sets": [{"step": 0, "table": "app.rolled", "set": {"id": null}}]}$row$);

-- to drop it
SELECT retention._drop_policy('loans');

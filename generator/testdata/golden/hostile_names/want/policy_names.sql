-- as owner
SELECT retention._register($row$ {"name": "names", "table_name": "Se\"lect.order by. $function$ {{ .Tag }}",
        "hash": "c71cfbd36a4c",
    "passes": [{"cursor": [["t.\"a \"\"quoted\"\" column\"", "timestamptz"], ["t.\"user\"", "bigint"], ["t.\"a.b\"",
        "text"]], "bound": "t.\"a \"\"quoted\"\" column\" < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')",
        "filtered": true}],
    "facts": {"clock": "t.\"a \"\"quoted\"\" column\"",
        "where": "(t.\"größe'; DROP TABLE x; --\" IS NOT NULL AND t.\"{{ . }}\" AND t.\"a.b\" > '')",
        "ahead": "(($1).as_of + interval '1 years')"},
    "steps": [{"step": 1, "verb": "delete", "table": "Se\"lect.child", "related": "Se\"lect.child", "as": "c",
        "on": "c.\"user\" = t.\"user\" AND c.\"a.b\" = t.\"a.b\""},
        {"step": 2, "verb": "delete", "table": "Se\"lect.order by. $function$ {{ .Tag }}"}],
    "changes": ["Se\"lect.order by. $function$ {{ .Tag }}", "Se\"lect.child"],
    "reach": ["Se\"lect.child"],
    "expects": {"Se\"lect.child": {"columns": {"a.b": "text", "user": "bigint"}, "cascades": []},
        "Se\"lect.order by. $function$ {{ .Tag }}": {"columns": {"0123456789012345678901234567890123456789012345678901234567890ab": "text",
        "a \"quoted\" column": "timestamp with time zone", "a.b": "text", "größe'; DROP TABLE x; --": "text",
        "user": "bigint", "{{ . }}": "boolean", "数据": "integer"}, "cascades": ["Se\"lect.child (a.b, user) cascade"]}}}$row$);

-- to drop it
SELECT retention._drop_policy('names');

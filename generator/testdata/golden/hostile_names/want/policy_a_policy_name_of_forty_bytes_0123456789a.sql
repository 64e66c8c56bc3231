-- as owner
SELECT retention._register($row$ {"name": "a_policy_name_of_forty_bytes_0123456789a",
        "table_name": "Se\"lect.012345678901234567890123456789012345678901234567890123456789éa", "hash": "eff4128718ae",
    "passes": [{"ranked": true, "groups": "a_policy_name_of_forty_bytes_0123456789a_groups",
        "beyond": "a_policy_name_of_forty_bytes_0123456789a_beyond"},
        {"cursor": [["t.t", "timestamptz"], ["t.\"end\"", "bigint"]], "ranked": true,
        "bound": "t.t < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')", "filtered": true}],
    "reach": ["Se\"lect.012345678901234567890123456789012345678901234567890123456789éa"],
    "expects": {"Se\"lect.012345678901234567890123456789012345678901234567890123456789éa": {"columns": {"batch": "bigint",
        "end": "bigint", "t": "timestamp with time zone"},
        "cascades": ["Se\"lect.012345678901234567890123456789012345678901234567890123456789éa (batch) set null"]}}}$row$);

-- to drop it
SELECT retention._drop_policy('a_policy_name_of_forty_bytes_0123456789a');

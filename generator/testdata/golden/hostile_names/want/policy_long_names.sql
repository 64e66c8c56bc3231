-- as owner
SELECT retention._register($row$ {"name": "long_names",
        "table_name": "Se\"lect.012345678901234567890123456789012345678901234567890123456789éa", "hash": "495e3a687d7e",
    "passes": [{"cursor": [["t.t", "timestamptz"], ["t.\"end\"", "bigint"]], "range": true,
        "bound": "t.t < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.t", "ahead": "(($1).as_of + interval '1 years')"},
    "reach": ["Se\"lect.012345678901234567890123456789012345678901234567890123456789éa"],
    "expects": {"Se\"lect.012345678901234567890123456789012345678901234567890123456789éa": {"columns": {"end": "bigint",
        "t": "timestamp with time zone"},
        "cascades": ["Se\"lect.012345678901234567890123456789012345678901234567890123456789éa (batch) set null"]}}}$row$);

-- to drop it
SELECT retention._drop_policy('long_names');

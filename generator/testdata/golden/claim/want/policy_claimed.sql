-- as owner
SELECT retention._register($row$ {"name": "claimed", "table_name": "app.claimed", "hash": "4d50317fe218",
        "window_own": "0 months 0 days 00:15:00", "window_at_least": "0 months 0 days 00:01:00",
        "window_at_most": "0 months 1 days 00:00:00",
    "grants": {"advance": ["app", "Big App"], "claim": ["app", "Big App"], "cursor": ["app", "Big App"], "seen": ["app",
        "Big App"]},
    "passes": [{"cursor": [["t.expires_at", "timestamptz"], ["t.hash", "character varying(66)"]], "range": true,
        "bound": "t.expires_at < retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.expires_at", "ahead": "(($1).as_of + interval '10 years')"},
    "changes": ["app.claimed", "app.marker"],
    "expects": {"app.claimed": {"columns": {"expires_at": "timestamp with time zone", "hash": "character varying(66)"}},
        "app.marker": {"columns": {"hash": "text"}}}}$row$);

-- to drop it
SELECT retention._drop_policy('claimed');

-- Returns one row for each policy and report: its row of retention.status, since when it is paused,
-- and what kept how many due rows in the last run, most rows first.
SELECT p.name, p.table_name, p.report, coalesce(w.description, ''), p.installed_at,
       coalesce(extract(epoch FROM p.budget_time), 0)::double precision,
       coalesce(s.last_state, ''), s.last_started_at, coalesce(extract(epoch FROM s.last_duration), 0)::double precision,
       coalesce(s.last_taken, 0), coalesce(s.last_refused, 0), coalesce(s.last_message, ''), s.last_success_at,
       s.failed_in_a_row, s.holds, coalesce(s.paused, ''),
       (SELECT min(x.set_at) FROM retention.setting x WHERE x.name = 'paused' AND x.policy IN (p.name, split_part(p.name, '@', 1), '*')),
       coalesce(s.older_than_note, ''),
       coalesce((SELECT string_agg(ltrim(to_char(k.value::bigint, '9,999,999,999,999')) || ' by ' || k.key, ', ' ORDER BY k.value::bigint DESC, k.key)
                 FROM (SELECT * FROM jsonb_each_text(s.last_kept)
                       UNION ALL VALUES ('locks of other sessions', s.last_contended::text), ('refusals', s.last_refused::text)) k (key, value)
                 WHERE k.value <> '0'), ''),
       coalesce(retention._trip_hint(s.last_tripped_by, s.policy, s.last_message), '')
FROM retention.policy p
JOIN retention.status s ON s.policy = p.name
LEFT JOIN retention.descriptions w ON w.policy = p.name
ORDER BY p.name

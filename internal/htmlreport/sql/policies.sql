-- A row for each policy and report of the registry: what the status view has, and since when it is paused.
SELECT p.name, p.table_name, p.report, coalesce(w.words, ''), p.installed_at,
       coalesce(extract(epoch FROM p.budget_time), 0)::double precision,
       coalesce(s.last_state, ''), s.last_started_at, coalesce(extract(epoch FROM s.last_duration), 0)::double precision,
       coalesce(s.last_taken, 0), coalesce(s.last_refused, 0), coalesce(s.last_message, ''), s.last_success_at,
       s.failed_in_a_row, s.holds, coalesce(s.paused, ''),
       (SELECT min(x.set_at) FROM retention.setting x WHERE x.name = 'paused' AND x.policy IN (p.name, '*')),
       coalesce(s.older_than_note, '')
FROM retention.policy p
JOIN retention.status s ON s.policy = p.name
LEFT JOIN retention.words w ON w.policy = p.name
ORDER BY p.name

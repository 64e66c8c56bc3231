SELECT s.policy, coalesce(s.jobs, ''), coalesce(s.last_state, 'never ran'),
       coalesce(to_char(s.last_started_at, 'YYYY-MM-DD HH24:MI:SSOF'), ''),
       coalesce(extract(epoch FROM s.last_duration), -1)::float8,
       coalesce(s.last_taken, -1), coalesce(s.last_scanned, -1), s.holds, coalesce(s.paused, '')
FROM retention.status s;

SELECT s.policy, coalesce(s.jobs, ''), coalesce(s.last_state, 'never ran'),
       coalesce(to_char(s.last_started_at, 'YYYY-MM-DD HH24:MI:SSOF'), ''),
       extract(epoch FROM s.last_duration)::float8, s.last_taken, s.last_scanned, s.holds, coalesce(s.paused, ''),
       (SELECT coalesce(min(CASE e ->> 'verb' WHEN 'delete' THEN 'deleted' WHEN 'update' THEN 'updated' WHEN 'detach' THEN 'detached'
                            WHEN 'drop' THEN 'dropped' END) FILTER (WHERE NOT e ? 'related'), 'taken')
        FROM retention.policy p, jsonb_array_elements(p.steps) e WHERE p.name = s.policy AND e ->> 'table' = p.table_name)
FROM retention.status s;

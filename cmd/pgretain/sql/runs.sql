-- Parameters: $1 process ID of the backend that ran, $2 newest run before its call. Returns the
-- runs of the call.
SELECT r.id, r.policy, r.dry_run, r.state, r.taken, r.scanned, r.kept, r.contended, r.refused, r.cascaded,
       coalesce(extract(epoch FROM r.ended_at - r.started_at), 0)::float8,
       coalesce(r.sqlstate, ''), coalesce(r.message, ''), coalesce(r.tripped_by, ''),
       -- Only a run that the breaker stopped can be accepted.
       CASE WHEN r.dry_run AND r.tripped_by = 'breaker' THEN ''
            ELSE coalesce(retention._trip_hint(r.tripped_by, r.policy, r.message), '') END,
       (SELECT coalesce(min(CASE e ->> 'verb' WHEN 'delete' THEN 'deleted' WHEN 'update' THEN 'updated'
                                              WHEN 'detach' THEN 'detached' WHEN 'drop' THEN 'dropped' END)
                            FILTER (WHERE NOT e ? 'related'), 'taken')
        FROM retention.policy p, jsonb_array_elements(p.steps) e
        WHERE p.name = r.policy AND e ->> 'table' = p.table_name)
FROM retention.run r
WHERE r.pid = $1 AND r.id > $2
ORDER BY r.id;

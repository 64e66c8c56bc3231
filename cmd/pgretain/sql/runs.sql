-- $1: the backend that ran; $2: the last run before.
SELECT r.id, r.policy, r.state, r.taken, r.scanned, r.kept, r.contended, r.refused, r.cascaded,
       coalesce(extract(epoch FROM r.ended_at - r.started_at), 0)::float8,
       coalesce(r.sqlstate, ''), coalesce(r.message, '')
FROM retention.run r
WHERE r.pid = $1 AND r.id > $2
ORDER BY r.id;

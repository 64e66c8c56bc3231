-- $1: the runtime's schema. A bigint key shows as two halves and objsubid 1 in pg_locks.
SELECT l.pid, coalesce(a.usename::text, '?'), coalesce(nullif(a.application_name, ''), '?')
FROM pg_catalog.pg_locks l
CROSS JOIN LATERAL (SELECT hashtextextended('pgretain migrate ' || $1, 0)) AS k (key)
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory'
  AND l.granted
  AND l.objsubid = 1
  AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
  AND l.classid = ((k.key >> 32) & 4294967295)::oid
  AND l.objid = (k.key & 4294967295)::oid
LIMIT 1;

-- Run locks without a run, on tables of this installation's policies, or on tables that are gone: another installation
-- in the database takes the same locks on its own. state is NULL where the session is not visible; a session that is
-- active is about to write its run down.
SELECT l.pid, coalesce(a.usename::text, ''), a.state, t.name
FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
CROSS JOIN LATERAL retention._table_name(l.objid) t (name)
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND l.classid::bigint BETWEEN 1347571758 AND 1347571761
  AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
  AND (t.name IS NULL
       OR EXISTS (SELECT FROM retention.policy p, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE c.oid = l.objid AND p.table_name IN (t.name, n.nspname || '.' || c.relname)))
  AND a.state IS DISTINCT FROM 'active'
  AND NOT EXISTS (SELECT FROM retention.run r WHERE r.state = 'running' AND r.pid = l.pid
                  AND coalesce(a.state, 'active') = 'active')
ORDER BY 1, 4

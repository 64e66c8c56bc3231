-- Run locks without a run. state is NULL where the session is not visible; a session that is
-- active is about to write its run down.
SELECT l.pid, coalesce(a.usename::text, ''), a.state, retention._table_name(l.objid)
FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
  AND l.classid::bigint BETWEEN 1347571758 AND 1347571761
  AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
  AND a.state IS DISTINCT FROM 'active'
  AND NOT EXISTS (SELECT FROM retention.run r WHERE r.state = 'running' AND r.pid = l.pid
                  AND coalesce(a.state, 'active') = 'active')
ORDER BY 1, 4

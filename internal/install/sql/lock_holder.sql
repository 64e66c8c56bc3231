-- Returns message, detail and hint about the session that holds the lock of migrations. Parameters:
-- $1 schema of the runtime, $2 how long the caller waited. pg_locks shows a bigint key as two
-- halves with objsubid 1.
SELECT format('another migration of schema "%s" is running', $1::text) || coalesce(' in pid ' || l.pid, ''),
       CASE WHEN l.pid IS NULL THEN format('Waited %s for its lock; it has ended just now.', $2::text)
            ELSE format('Waited %s for its lock, which is held by role "%s", application "%s".', $2::text,
                        coalesce(a.usename::text, '?'), coalesce(nullif(a.application_name, ''), '?')) END,
       CASE WHEN l.pid IS NULL THEN 'Run the command again.'
            ELSE format('Wait for it to end; SELECT * FROM pg_stat_activity WHERE pid = %s shows what it does.', l.pid) END
FROM (SELECT hashtextextended('pgretain migrate ' || $1::text, 0)) AS k (key)
LEFT JOIN pg_catalog.pg_locks l
       ON l.locktype = 'advisory'
      AND l.granted
      AND l.objsubid = 1
      AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
      AND l.classid = ((k.key >> 32) & 4294967295)::oid
      AND l.objid = (k.key & 4294967295)::oid
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
LIMIT 1;

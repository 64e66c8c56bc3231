-- Returns the session that holds the lock of migrations. Its columns are NULL or '?' if there is
-- none. Parameter: $1 schema of the runtime. pg_locks shows a bigint key as two halves with
-- objsubid 1.
SELECT l.pid, coalesce(a.usename::text, '?') AS role_name,
       coalesce(nullif(a.application_name, ''), '?') AS application_name
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

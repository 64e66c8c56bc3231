-- Tables that somebody has, or waits to have, to himself: printing what defines them waits too. Oid, and
-- name as schema.table.
SELECT DISTINCT c.oid, n.nspname || '.' || c.relname
FROM pg_locks x
JOIN pg_database b ON b.oid = x.database AND b.datname = current_database()
JOIN pg_class c ON c.oid = x.relation
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE x.locktype = 'relation' AND x.mode = 'AccessExclusiveLock' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')

-- $1: the runtime's schema. Never pg_advisory_lock: the snapshot of its waiting statement would
-- hold up the CREATE INDEX CONCURRENTLY of the very session that is waited for.
SELECT pg_try_advisory_lock(hashtextextended('pgretain migrate ' || $1, 0));

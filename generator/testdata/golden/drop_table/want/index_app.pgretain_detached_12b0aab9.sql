-- as migrator
-- For policy detached. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_detached_12b0aab9');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_detached_12b0aab9_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_detached_12b0aab9 ON app.detached (drop_after, name);
-- next
COMMENT ON INDEX app.pgretain_detached_12b0aab9 IS 'pgretain: index of policy detached';
-- next
SELECT retention._record_index('app', 'pgretain_detached_12b0aab9');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_detached_12b0aab9;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_detached_12b0aab9_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_detached_12b0aab9';

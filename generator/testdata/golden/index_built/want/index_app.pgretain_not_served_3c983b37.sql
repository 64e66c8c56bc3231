-- as migrator
-- For policy by_age. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_not_served_3c983b37');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_3c983b37_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_not_served_3c983b37 ON app.not_served (at, id);
-- next
COMMENT ON INDEX app.pgretain_not_served_3c983b37 IS 'pgretain: index of policy by_age';
-- next
SELECT retention._record_index('app', 'pgretain_not_served_3c983b37');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_3c983b37;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_3c983b37_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_not_served_3c983b37';

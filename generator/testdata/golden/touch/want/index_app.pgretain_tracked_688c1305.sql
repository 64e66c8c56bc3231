-- as migrator
-- For policy tracked. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_tracked_688c1305');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_tracked_688c1305_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_tracked_688c1305 ON app.tracked (read_at, slug);
-- next
COMMENT ON INDEX app.pgretain_tracked_688c1305 IS 'pgretain: index of policy tracked';
-- next
SELECT retention._record_index('app', 'pgretain_tracked_688c1305');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_tracked_688c1305;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_tracked_688c1305_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_tracked_688c1305';

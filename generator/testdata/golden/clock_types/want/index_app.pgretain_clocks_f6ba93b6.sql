-- as migrator
-- For policy by_least. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_f6ba93b6');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_f6ba93b6_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_clocks_f6ba93b6 ON app.clocks ((least(read_at, edited_at)), id);
-- next
COMMENT ON INDEX app.pgretain_clocks_f6ba93b6 IS 'pgretain: index of policy by_least';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_f6ba93b6');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_f6ba93b6;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_f6ba93b6_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_f6ba93b6';

-- as migrator
-- For policy epoch_ms_float. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_60e92bd1');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_60e92bd1_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_clocks_60e92bd1 ON app.clocks (epoch_ms_float, id);
-- next
COMMENT ON INDEX app.pgretain_clocks_60e92bd1 IS 'pgretain: index of policy epoch_ms_float';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_60e92bd1');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_60e92bd1;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_60e92bd1_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_60e92bd1';

-- as migrator
-- For policy epoch_s_int. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_a2a55982');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_a2a55982_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_clocks_a2a55982 ON app.clocks (epoch_s_int, id);
-- next
COMMENT ON INDEX app.pgretain_clocks_a2a55982 IS 'pgretain: index of policy epoch_s_int';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_a2a55982');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_a2a55982;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_a2a55982_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_a2a55982';

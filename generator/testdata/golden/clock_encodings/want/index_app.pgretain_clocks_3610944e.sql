-- as migrator
-- For policy snow. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_3610944e');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_3610944e_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_clocks_3610944e ON app.clocks (snow, id);
-- next
COMMENT ON INDEX app.pgretain_clocks_3610944e IS 'pgretain: index of policy snow';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_3610944e');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_3610944e;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_3610944e_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_3610944e';

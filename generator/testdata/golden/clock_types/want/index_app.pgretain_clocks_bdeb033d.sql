-- as migrator
-- For policy by_timestamp. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_bdeb033d');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_bdeb033d_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_clocks_bdeb033d ON app.clocks (at, id);
-- next
COMMENT ON INDEX app.pgretain_clocks_bdeb033d IS 'pgretain: index of policy by_timestamp';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_bdeb033d');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_bdeb033d;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_bdeb033d_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_bdeb033d';

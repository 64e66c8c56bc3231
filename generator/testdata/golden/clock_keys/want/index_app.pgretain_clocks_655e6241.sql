-- as migrator
-- For policy ulid. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_655e6241');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_655e6241_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_clocks_655e6241 ON app.clocks (ulid_uuid, id);
-- next
COMMENT ON INDEX app.pgretain_clocks_655e6241 IS 'pgretain: index of policy ulid';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_655e6241');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_655e6241;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_clocks_655e6241_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_655e6241';

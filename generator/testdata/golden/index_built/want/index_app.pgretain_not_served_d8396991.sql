-- as migrator
-- For policy by_rank. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_not_served_d8396991');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_d8396991_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_not_served_d8396991 ON app.not_served (owner_id, at DESC NULLS LAST,
    id);
-- next
COMMENT ON INDEX app.pgretain_not_served_d8396991 IS 'pgretain: index of policy by_rank';
-- next
SELECT retention._record_index('app', 'pgretain_not_served_d8396991');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_d8396991;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_d8396991_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_not_served_d8396991';

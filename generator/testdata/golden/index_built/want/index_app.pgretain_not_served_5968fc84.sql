-- as migrator
-- For policy by_state. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_not_served_5968fc84');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_5968fc84_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_not_served_5968fc84 ON app.not_served (at, id)
    WHERE (state = 'done' AND owner_id IN (1, 2));
-- next
COMMENT ON INDEX app.pgretain_not_served_5968fc84 IS 'pgretain: index of policy by_state';
-- next
SELECT retention._record_index('app', 'pgretain_not_served_5968fc84');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_5968fc84;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_not_served_5968fc84_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_not_served_5968fc84';

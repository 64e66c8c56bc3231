-- as migrator
-- For policy offers_expire. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_290db346');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_290db346_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_290db346 ON app.note (expires_at, id)
    WHERE (state IS DISTINCT FROM 'expired');
-- next
COMMENT ON INDEX app.pgretain_note_290db346 IS 'pgretain: index of policy offers_expire';
-- next
SELECT retention._record_index('app', 'pgretain_note_290db346');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_290db346;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_290db346_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_290db346';

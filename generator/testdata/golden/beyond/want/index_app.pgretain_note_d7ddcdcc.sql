-- as migrator
-- For policy per_nullable. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_d7ddcdcc');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_d7ddcdcc_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_d7ddcdcc ON app.note (state, id DESC);
-- next
COMMENT ON INDEX app.pgretain_note_d7ddcdcc IS 'pgretain: index of policy per_nullable';
-- next
SELECT retention._record_index('app', 'pgretain_note_d7ddcdcc');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_d7ddcdcc;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_d7ddcdcc_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_d7ddcdcc';

-- as migrator
-- For policy dibs_expire. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_bb7e880b');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_bb7e880b_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_bb7e880b ON app.note (expires_at, id) WHERE (NOT starred);
-- next
COMMENT ON INDEX app.pgretain_note_bb7e880b IS 'pgretain: index of policy dibs_expire';
-- next
SELECT retention._record_index('app', 'pgretain_note_bb7e880b');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_bb7e880b;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_bb7e880b_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_bb7e880b';

-- as migrator
-- For policy notes_old. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_b556b73a');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_b556b73a_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_b556b73a ON app.note (made_at, id);
-- next
COMMENT ON INDEX app.pgretain_note_b556b73a IS 'pgretain: index of policy notes_old';
-- next
SELECT retention._record_index('app', 'pgretain_note_b556b73a');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_b556b73a;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_b556b73a_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_b556b73a';

-- as migrator
-- For policy dollars. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_edb1f2b5');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_edb1f2b5_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_edb1f2b5 ON app.note (made_at, id)
    WHERE (kind <> '$$ $function$ $function1$');
-- next
COMMENT ON INDEX app.pgretain_note_edb1f2b5 IS 'pgretain: index of policy dollars';
-- next
SELECT retention._record_index('app', 'pgretain_note_edb1f2b5');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_edb1f2b5;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_edb1f2b5_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_edb1f2b5';

-- as migrator
-- For policy notes_any. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_4e5fe5ab');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_4e5fe5ab_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_4e5fe5ab ON app.note (owner_id, made_at DESC, id DESC)
    WHERE (kind <> 'pinned');
-- next
COMMENT ON INDEX app.pgretain_note_4e5fe5ab IS 'pgretain: index of policy notes_any';
-- next
SELECT retention._record_index('app', 'pgretain_note_4e5fe5ab');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_4e5fe5ab;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_4e5fe5ab_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_4e5fe5ab';

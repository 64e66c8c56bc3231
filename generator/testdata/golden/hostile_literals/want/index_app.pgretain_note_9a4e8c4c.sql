-- as migrator
-- For policy breaks. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_9a4e8c4c');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_9a4e8c4c_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_9a4e8c4c ON app.note (made_at, id)
    WHERE (kind = 'draft' AND NOT starred);
-- next
COMMENT ON INDEX app.pgretain_note_9a4e8c4c IS 'pgretain: index of policy breaks';
-- next
SELECT retention._record_index('app', 'pgretain_note_9a4e8c4c');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_9a4e8c4c;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_9a4e8c4c_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_9a4e8c4c';

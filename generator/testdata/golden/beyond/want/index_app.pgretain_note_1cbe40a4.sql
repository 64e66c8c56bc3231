-- as migrator
-- For policy per_two. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_1cbe40a4');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_1cbe40a4_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_1cbe40a4 ON app.note (owner_id, kind, made_at, id)
    WHERE (kind = 'draft');
-- next
COMMENT ON INDEX app.pgretain_note_1cbe40a4 IS 'pgretain: index of policy per_two';
-- next
SELECT retention._record_index('app', 'pgretain_note_1cbe40a4');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_1cbe40a4;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_1cbe40a4_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_1cbe40a4';

-- as migrator
-- For policy among. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_109d4e3d');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_109d4e3d_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_109d4e3d ON app.note (owner_id, id DESC);
-- next
COMMENT ON INDEX app.pgretain_note_109d4e3d IS 'pgretain: index of policy among';
-- next
SELECT retention._record_index('app', 'pgretain_note_109d4e3d');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_109d4e3d;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_109d4e3d_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_109d4e3d';

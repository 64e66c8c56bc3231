-- as migrator
-- For policy notes_ranked. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_3cccfe3c');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_3cccfe3c_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_3cccfe3c ON app.note (owner_id);
-- next
COMMENT ON INDEX app.pgretain_note_3cccfe3c IS 'pgretain: index of policy notes_ranked';
-- next
SELECT retention._record_index('app', 'pgretain_note_3cccfe3c');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_3cccfe3c;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_3cccfe3c_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_3cccfe3c';

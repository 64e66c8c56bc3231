-- as migrator
-- For policy items_cap. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_87a53a8b');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_87a53a8b_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_87a53a8b ON app.note (owner_id, made_at DESC, id DESC);
-- next
COMMENT ON INDEX app.pgretain_note_87a53a8b IS 'pgretain: index of policy items_cap';
-- next
SELECT retention._record_index('app', 'pgretain_note_87a53a8b');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_87a53a8b;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_87a53a8b_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_87a53a8b';

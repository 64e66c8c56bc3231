-- as migrator
-- For policy per_none. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_98bd446f');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_98bd446f_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_98bd446f ON app.note (score DESC NULLS LAST, id DESC);
-- next
COMMENT ON INDEX app.pgretain_note_98bd446f IS 'pgretain: index of policy per_none';
-- next
SELECT retention._record_index('app', 'pgretain_note_98bd446f');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_98bd446f;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_98bd446f_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_98bd446f';

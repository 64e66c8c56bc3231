-- as migrator
-- For policy backslashes. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_a0aeeafd');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_a0aeeafd_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_a0aeeafd ON app.note (made_at, id)
    WHERE (kind <> '\' AND tag <> E'\'\n' AND state <> U&'\0061');
-- next
COMMENT ON INDEX app.pgretain_note_a0aeeafd IS 'pgretain: index of policy backslashes';
-- next
SELECT retention._record_index('app', 'pgretain_note_a0aeeafd');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_a0aeeafd;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_a0aeeafd_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_a0aeeafd';

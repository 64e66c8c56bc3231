-- as migrator
-- For policy goose. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_6e5beb18');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_6e5beb18_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_note_6e5beb18 ON app.note (made_at, id)
    WHERE (kind <> '-- +goose Down' AND tag <> '+goose StatementEnd');
-- next
COMMENT ON INDEX app.pgretain_note_6e5beb18 IS 'pgretain: index of policy goose';
-- next
SELECT retention._record_index('app', 'pgretain_note_6e5beb18');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_6e5beb18;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_note_6e5beb18_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_note_6e5beb18';

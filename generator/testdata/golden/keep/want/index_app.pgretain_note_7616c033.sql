-- as migrator
-- For policy notes_ranked. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_7616c033');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_7616c033_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_note_7616c033" ON "app"."note" ("owner_id");
-- next
COMMENT ON INDEX "app"."pgretain_note_7616c033" IS 'pgretain: index of policy notes_ranked';
-- next
SELECT retention._record_index('app', 'pgretain_note_7616c033');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_7616c033";
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_7616c033_invalid";
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'app' AND index_name = 'pgretain_note_7616c033';

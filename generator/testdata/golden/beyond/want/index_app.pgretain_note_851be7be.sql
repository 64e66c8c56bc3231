-- as migrator
-- For policy ties. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_851be7be');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_851be7be_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_note_851be7be" ON "app"."note" ("owner_id", "score" DESC);
-- next
COMMENT ON INDEX "app"."pgretain_note_851be7be" IS 'pgretain: index of policy ties';
-- next
SELECT retention._record_index('app', 'pgretain_note_851be7be');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_851be7be";
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_851be7be_invalid";
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'app' AND index_name = 'pgretain_note_851be7be';

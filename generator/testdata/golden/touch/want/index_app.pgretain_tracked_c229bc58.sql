-- as migrator
-- For policy tracked. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_tracked_c229bc58');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_tracked_c229bc58_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_tracked_c229bc58" ON "app"."tracked" ("read_at", "slug");
-- next
COMMENT ON INDEX "app"."pgretain_tracked_c229bc58" IS 'pgretain: index of policy tracked';
-- next
SELECT retention._record_index('app', 'pgretain_tracked_c229bc58');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_tracked_c229bc58";
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_tracked_c229bc58_invalid";
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'app' AND index_name = 'pgretain_tracked_c229bc58';

-- as migrator
-- For policy uuid_text. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_f3c0fb08');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_clocks_f3c0fb08_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_clocks_f3c0fb08" ON "app"."clocks" ("key_text", "id");
-- next
COMMENT ON INDEX "app"."pgretain_clocks_f3c0fb08" IS 'pgretain: index of policy uuid_text';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_f3c0fb08');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_clocks_f3c0fb08";
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_f3c0fb08';

-- as migrator
-- For policy uuid_char. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_clocks_a145c368');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_clocks_a145c368_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_clocks_a145c368" ON "app"."clocks" ("key_char", "id");
-- next
COMMENT ON INDEX "app"."pgretain_clocks_a145c368" IS 'pgretain: index of policy uuid_char';
-- next
SELECT retention._record_index('app', 'pgretain_clocks_a145c368');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_clocks_a145c368";
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'app' AND index_name = 'pgretain_clocks_a145c368';

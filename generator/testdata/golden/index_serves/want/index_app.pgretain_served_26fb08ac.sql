-- as migrator
-- For policy by_key. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_served_26fb08ac');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_served_26fb08ac_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_served_26fb08ac" ON "app"."served" ("id")
    WHERE (true);
-- next
COMMENT ON INDEX "app"."pgretain_served_26fb08ac" IS 'pgretain: index of policy by_key';
-- next
SELECT retention._record_index('app', 'pgretain_served_26fb08ac');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_served_26fb08ac";

-- as migrator
-- For policy all_of_them. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_note_0305c0b0');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_0305c0b0_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_note_0305c0b0" ON "app"."note" ("id")
    WHERE (true);
-- next
COMMENT ON INDEX "app"."pgretain_note_0305c0b0" IS 'pgretain: index of policy all_of_them';
-- next
SELECT retention._record_index('app', 'pgretain_note_0305c0b0');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_note_0305c0b0";

-- as migrator
-- A partitioned table has its index built partition by partition, CONCURRENTLY,
-- so that everybody can go on writing; each statement may be repeated. What cannot be concurrent takes
-- a moment, and waits at most 10 s for it.
-- https://www.postgresql.org/docs/current/ddl-partitioning.html
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    CREATE INDEX IF NOT EXISTS "pgretain_event_c0cceda5" ON ONLY "app"."event" ("at", "id");
END
$function$;
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2024_06b6860b');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2024_06b6860b_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_event_2024_06b6860b" ON "app"."event_2024" ("at", "id");
-- next
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    CREATE INDEX IF NOT EXISTS "pgretain_event_2025_5ae6974f" ON ONLY "app"."event_2025" ("at", "id");
END
$function$;
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2025_0_8d8b4fac');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_0_8d8b4fac_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_event_2025_0_8d8b4fac" ON "app"."event_2025_0" ("at", "id");
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2025_1_07f9fa29');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_1_07f9fa29_invalid";
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_event_2025_1_07f9fa29" ON "app"."event_2025_1" ("at", "id");
-- next
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    ALTER INDEX "app"."pgretain_event_c0cceda5" ATTACH PARTITION "app"."pgretain_event_2024_06b6860b";
END
$function$;
-- next
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    ALTER INDEX "app"."pgretain_event_2025_5ae6974f" ATTACH PARTITION "app"."pgretain_event_2025_0_8d8b4fac";
END
$function$;
-- next
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    ALTER INDEX "app"."pgretain_event_2025_5ae6974f" ATTACH PARTITION "app"."pgretain_event_2025_1_07f9fa29";
END
$function$;
-- next
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    ALTER INDEX "app"."pgretain_event_c0cceda5" ATTACH PARTITION "app"."pgretain_event_2025_5ae6974f";
END
$function$;
-- next
COMMENT ON INDEX "app"."pgretain_event_c0cceda5" IS 'pgretain: index for policies of this table';
-- next
SELECT retention._record_index('app', 'pgretain_event_c0cceda5');

-- to drop it
-- That of a partitioned table cannot be dropped concurrently: this waits at most 10 s for all partitions.
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    DROP INDEX IF EXISTS "app"."pgretain_event_c0cceda5";
END
$function$;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2024_06b6860b";
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2024_06b6860b_invalid";
-- next
-- There only after a build that was interrupted.
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    DROP INDEX IF EXISTS "app"."pgretain_event_2025_5ae6974f";
END
$function$;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_0_8d8b4fac";
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_0_8d8b4fac_invalid";
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_1_07f9fa29";
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_1_07f9fa29_invalid";
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'app' AND index_name = 'pgretain_event_c0cceda5';

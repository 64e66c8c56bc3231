-- as migrator
-- A partitioned table has its index built partition by partition, CONCURRENTLY,
-- so that everybody can go on writing; each statement may be repeated. What cannot be concurrent takes
-- a moment, and waits at most 10 s for it. Partitions come and go: an empty temporary table stands in for one
-- that is gone or detached, and small ones that are not named here get the index at the end.
-- https://www.postgresql.org/docs/current/ddl-partitioning.html
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    CREATE INDEX IF NOT EXISTS "pgretain_event_c0cceda5" ON ONLY "app"."event" ("at", "id");
END
$function$;
-- next
SELECT set_config('pgretain.search_path', current_setting('search_path'), false);
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2024_06b6860b');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2024_06b6860b_invalid";
-- next
SELECT set_config('search_path', retention._stand_in('app', 'event_2024', '"app"."event"'), false);
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_event_2024_06b6860b" ON "event_2024" ("at", "id");
-- next
DROP TABLE IF EXISTS pg_temp."event_2024";
-- next
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    IF EXISTS (SELECT FROM pg_partition_tree('"app"."event"') t WHERE t.relid = to_regclass('"app"."event_2025"')) THEN
        CREATE INDEX IF NOT EXISTS "pgretain_event_2025_5ae6974f" ON ONLY "app"."event_2025" ("at", "id");
    END IF;
END
$function$;
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2025_0_8d8b4fac');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_0_8d8b4fac_invalid";
-- next
SELECT set_config('search_path', retention._stand_in('app', 'event_2025_0', '"app"."event"'), false);
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_event_2025_0_8d8b4fac" ON "event_2025_0" ("at", "id");
-- next
DROP TABLE IF EXISTS pg_temp."event_2025_0";
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2025_1_07f9fa29');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "app"."pgretain_event_2025_1_07f9fa29_invalid";
-- next
SELECT set_config('search_path', retention._stand_in('app', 'event_2025_1', '"app"."event"'), false);
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS "pgretain_event_2025_1_07f9fa29" ON "event_2025_1" ("at", "id");
-- next
DROP TABLE IF EXISTS pg_temp."event_2025_1";
-- next
SELECT set_config('search_path', current_setting('pgretain.search_path'), false);
-- next
SELECT retention._attach_index('app', 'pgretain_event_c0cceda5', 'app', 'pgretain_event_2024_06b6860b');
-- next
SELECT retention._attach_index('app', 'pgretain_event_2025_5ae6974f', 'app', 'pgretain_event_2025_0_8d8b4fac');
-- next
SELECT retention._attach_index('app', 'pgretain_event_2025_5ae6974f', 'app', 'pgretain_event_2025_1_07f9fa29');
-- next
SELECT retention._attach_index('app', 'pgretain_event_c0cceda5', 'app', 'pgretain_event_2025_5ae6974f');
-- next
SELECT retention._index_later_partitions('app', 'pgretain_event_c0cceda5');
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

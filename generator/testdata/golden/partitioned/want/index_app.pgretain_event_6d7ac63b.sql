-- as migrator
-- A partitioned table has its index built partition by partition, CONCURRENTLY,
-- so that everybody can go on writing; each statement may be repeated. What cannot be concurrent takes
-- a moment, and waits at most 10 s for it. Partitions come and go: an empty temporary table stands in for one
-- that is gone or detached, and small ones that are not named here get the index at the end.
-- https://www.postgresql.org/docs/current/ddl-partitioning.html
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    CREATE INDEX IF NOT EXISTS pgretain_event_6d7ac63b ON ONLY app.event (at, id);
END
$function$;
-- next
SELECT set_config('pgretain.search_path', current_setting('search_path'), false);
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2024_30dea85e');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2024_30dea85e_invalid;
-- next
SELECT set_config('search_path', retention._stand_in('app', 'event_2024', 'app.event'), false);
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_event_2024_30dea85e ON event_2024 (at, id);
-- next
DROP TABLE IF EXISTS pg_temp.event_2024;
-- next
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    IF EXISTS (SELECT FROM pg_partition_tree('app.event') t WHERE t.relid = to_regclass('app.event_2025')) THEN
        CREATE INDEX IF NOT EXISTS pgretain_event_2025_58765de9 ON ONLY app.event_2025 (at, id);
    END IF;
END
$function$;
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2025_0_fcff63fe');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2025_0_fcff63fe_invalid;
-- next
SELECT set_config('search_path', retention._stand_in('app', 'event_2025_0', 'app.event'), false);
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_event_2025_0_fcff63fe ON event_2025_0 (at, id);
-- next
DROP TABLE IF EXISTS pg_temp.event_2025_0;
-- next
SELECT retention._set_aside_invalid_index('app', 'pgretain_event_2025_1_e62f50a7');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2025_1_e62f50a7_invalid;
-- next
SELECT set_config('search_path', retention._stand_in('app', 'event_2025_1', 'app.event'), false);
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_event_2025_1_e62f50a7 ON event_2025_1 (at, id);
-- next
DROP TABLE IF EXISTS pg_temp.event_2025_1;
-- next
SELECT set_config('search_path', current_setting('pgretain.search_path'), false);
-- next
SELECT retention._attach_index('app', 'pgretain_event_6d7ac63b', 'app', 'pgretain_event_2024_30dea85e');
-- next
SELECT retention._attach_index('app', 'pgretain_event_2025_58765de9', 'app', 'pgretain_event_2025_0_fcff63fe');
-- next
SELECT retention._attach_index('app', 'pgretain_event_2025_58765de9', 'app', 'pgretain_event_2025_1_e62f50a7');
-- next
SELECT retention._attach_index('app', 'pgretain_event_6d7ac63b', 'app', 'pgretain_event_2025_58765de9');
-- next
SELECT retention._index_later_partitions('app', 'pgretain_event_6d7ac63b');
-- next
COMMENT ON INDEX app.pgretain_event_6d7ac63b IS 'pgretain: index for policies of this table';
-- next
SELECT retention._record_index('app', 'pgretain_event_6d7ac63b');

-- to drop it
-- That of a partitioned table cannot be dropped concurrently: this waits at most 10 s for all partitions.
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    DROP INDEX IF EXISTS app.pgretain_event_6d7ac63b;
END
$function$;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2024_30dea85e;
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2024_30dea85e_invalid;
-- next
-- There only after a build that was interrupted.
DO $function$
BEGIN
    SET LOCAL lock_timeout = '10s';
    DROP INDEX IF EXISTS app.pgretain_event_2025_58765de9;
END
$function$;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2025_0_fcff63fe;
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2025_0_fcff63fe_invalid;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2025_1_e62f50a7;
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_event_2025_1_e62f50a7_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_event_6d7ac63b';

-- _clock_readings returns ways in which numbers count time. A timestamp, in milliseconds since
-- 1970, is start plus the value times unit.
-- ordinary: true if all plausible timestamps are evidence for this way of counting. Otherwise only
--   timestamps near the present are evidence.
CREATE OR REPLACE FUNCTION retention._clock_readings()
RETURNS TABLE (label text, unit numeric, start numeric, ordinary boolean)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    VALUES ('epoch_s', 1000::numeric, 0::numeric, true), ('epoch_ms', 1, 0, true),
           ('microseconds since 1970', 0.001, 0, true), ('nanoseconds since 1970', 0.000001, 0, true),
           ('minutes since 1970', 60000, 0, false), ('hours since 1970', 3600000, 0, false),
           ('days since 1970', 86400000, 0, false), ('seconds since 2001', 1000, 978307200000, false),
           ('microseconds since 1601', 0.001, -11644473600000, false),
           ('units of 100 ns since 1601', 0.0001, -11644473600000, false),
           ('{snowflake: {shift: 22, epoch: 1288834974657}}', 1 / 4194304.0, 1288834974657, false),
           ('{snowflake: {shift: 22, epoch: 1420070400000}}', 1 / 4194304.0, 1420070400000, false),
           ('{snowflake: {shift: 23, epoch: 1314220021721}}', 1 / 8388608.0, 1314220021721, false),
           ('{snowflake: {shift: 16, epoch: 0}}', 1 / 65536.0, 0, false)
$function$;

-- _snowflake_floor returns the smallest Snowflake ID of the millisecond of a timestamp. If the ID
-- would not fit into bigint, it returns the smallest or the largest bigint.
CREATE OR REPLACE FUNCTION retention._snowflake_floor(p_at timestamptz, p_epoch bigint, p_shift integer) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN f.id < -9223372036854775808 THEN -9223372036854775808
                WHEN f.id > 9223372036854775807 THEN 9223372036854775807 ELSE f.id END::bigint
    FROM (SELECT (floor(extract(epoch FROM p_at) * 1000) - p_epoch) * 2::numeric ^ p_shift AS id) f
$function$;

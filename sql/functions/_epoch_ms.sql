-- Whole milliseconds since 1970-01-01 UTC, rounded down.
CREATE OR REPLACE FUNCTION retention._epoch_ms(p_at timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT floor(extract(epoch FROM p_at) * 1000)::bigint
$function$;

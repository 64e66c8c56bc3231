-- Bounds every wait for a lock until this transaction ends, in milliseconds.
CREATE OR REPLACE FUNCTION retention._wait_at_most(p_ms bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $function$
    SELECT set_config('lock_timeout', least(p_ms, 2147483647)::text, true)
$function$;

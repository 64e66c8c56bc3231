-- The search path and the time zone of the install, for expressions of policies. Undone where the calling
-- function ends, which has SET clauses for both, and for all else that expressions depend on.
CREATE OR REPLACE FUNCTION retention._pin() RETURNS void
LANGUAGE sql
AS $function$
    SELECT pg_catalog.set_config('search_path', 'pg_catalog, ' || i.search_path || ', pg_temp', true),
           pg_catalog.set_config('timezone', i.time_zone, true)
    FROM retention.install i
$function$;
REVOKE ALL ON FUNCTION retention._pin() FROM PUBLIC;

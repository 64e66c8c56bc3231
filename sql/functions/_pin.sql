-- The search path and the time zone of the install, for expressions of policies. Undone where the calling
-- function ends, which has SET clauses for both, and for all else that expressions depend on.
CREATE OR REPLACE FUNCTION retention._pin() RETURNS void
LANGUAGE sql
AS $function$
    SELECT pg_catalog.set_config('search_path', 'pg_catalog, ' || (SELECT string_agg(pg_catalog.quote_ident(x), ', ') FROM pg_catalog.unnest(pg_catalog.string_to_array(i.search_path, ', ')) x) || ', pg_temp', true),
           pg_catalog.set_config('timezone', i.time_zone, true)
    FROM retention.install i
$function$;

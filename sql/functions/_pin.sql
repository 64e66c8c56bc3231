-- The search path and time zone of the install, for expressions of policies; undone where the calling function ends,
-- whose SET clauses pin these two and all else that expressions depend on. Functions without a search_path of their own
-- are called by pinned functions only.
CREATE OR REPLACE FUNCTION retention._pin() RETURNS void
LANGUAGE plpgsql AS $function$
BEGIN  -- plpgsql keeps the plan from call to call
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog, ' || (SELECT string_agg(pg_catalog.quote_ident(x), ', ')
                FROM pg_catalog.unnest(pg_catalog.string_to_array(i.search_path, ', ')) x) || ', pg_temp', true),
            pg_catalog.set_config('timezone', i.time_zone, true)
    FROM retention.install i;
END $function$;

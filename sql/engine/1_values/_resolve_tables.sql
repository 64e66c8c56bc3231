-- _resolve_tables returns the OIDs of relations by name ("schema.name", unquoted, as in the
-- registry). It leaves out names that do not exist.
-- OFFSET 0 makes the planner use the indexes of both catalogs. Many schemas may have a table of
-- that name.
CREATE OR REPLACE FUNCTION retention._resolve_tables(p_names text[]) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    RETURN ARRAY(
        SELECT c.oid FROM unnest(p_names) x (name) CROSS JOIN generate_series(1, length(x.name)) i
        CROSS JOIN LATERAL (SELECT n.oid FROM pg_namespace n WHERE n.nspname = left(x.name, i - 1) OFFSET 0) n
        CROSS JOIN LATERAL (SELECT c.oid FROM pg_class c WHERE c.relnamespace = n.oid
            AND c.relname = substr(x.name, i + 1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') OFFSET 0) c
        WHERE substr(x.name, i, 1) = '.');
END $function$;

-- The relations that names ("schema.name", unquoted, as in the registry) stand for; nothing for one that is not there.
CREATE OR REPLACE FUNCTION retention._named(p_names text[]) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    RETURN ARRAY(
        SELECT c.oid FROM unnest(p_names) x (name) JOIN pg_namespace n ON starts_with(x.name, n.nspname || '.')
        JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = substr(x.name, length(n.nspname) + 2)::name
                       AND c.relkind IN ('r', 'p', 'v', 'm', 'f'));
END $function$;

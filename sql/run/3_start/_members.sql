-- The members of a policy that is for each schema, by the schemas that there are; those that never ran come first, then
-- those whose last run is longest ago.
CREATE OR REPLACE FUNCTION retention._members(p_each text) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT coalesce(array_agg(x.member ORDER BY x.last NULLS FIRST, x.member), '{}') FROM (
        SELECT concat(e.name, '@', n.nspname) AS member,
               (SELECT max(r.id) FROM retention.run r WHERE r.policy = concat(e.name, '@', n.nspname)) AS last
        FROM retention.each e JOIN pg_namespace n
        ON n.nspname LIKE replace(replace(e.schemas, '_', '!_'), '*', '%') ESCAPE '!'
        WHERE e.name = p_each AND EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid
                                          AND concat(e.word, '.', c.relname) = e.registers ->> 'table_name')) x
$function$;

-- A table from which ON DELETE CASCADE leads back to itself, within reach of a policy's deletes; NULL
-- when there is none. Along a circle no guard can follow the rows to their end, so a hold in force
-- then stops the run.
CREATE OR REPLACE FUNCTION retention._circle(p_tables oid[]) RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH RECURSIVE edge AS (
        SELECT coalesce(pg_partition_root(k.confrelid), k.confrelid)::oid AS from_rel,
               coalesce(pg_partition_root(k.conrelid), k.conrelid)::oid AS to_rel
        FROM pg_constraint k WHERE k.contype = 'f' AND k.confdeltype = 'c'
          AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
    ), walk AS (
        SELECT e.from_rel AS start, e.to_rel AS rel FROM edge e WHERE e.from_rel = ANY (p_tables)
        UNION
        SELECT w.start, e.to_rel FROM walk w JOIN edge e ON e.from_rel = w.rel
    )
    SELECT retention._table_name(w.start) FROM walk w WHERE w.rel = w.start ORDER BY 1 LIMIT 1
$function$;
REVOKE ALL ON FUNCTION retention._circle(oid[]) FROM PUBLIC;

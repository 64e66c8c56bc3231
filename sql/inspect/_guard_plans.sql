-- _guard_plans returns the plans by which batches would recheck rows that they have locked.
-- _guard_plans_as_worker makes them.
CREATE OR REPLACE FUNCTION retention._guard_plans(
    p_policies text[], OUT policy text, OUT plan json, OUT code text, OUT message text)
RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT p.*
    FROM retention._query_as_worker('SELECT to_jsonb(p) FROM retention._guard_plans_as_worker(
                              ARRAY(SELECT jsonb_array_elements_text($1))) p', to_jsonb(p_policies)) l,
         jsonb_to_record(l) p (policy text, plan json, code text, message text)
$function$;

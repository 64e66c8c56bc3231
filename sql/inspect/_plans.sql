-- _plans returns the plans by which batches would find their rows. _plans_as_worker makes them.
CREATE OR REPLACE FUNCTION retention._plans(
    p_policies text[], p_sort boolean, OUT policy text, OUT batch text, OUT plan json, OUT code text, OUT message text)
RETURNS SETOF record LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT p.*
    FROM retention._query_as_worker('SELECT to_jsonb(p) FROM retention._plans_as_worker(
                              ARRAY(SELECT jsonb_array_elements_text($1 -> 0)), ($1 ->> 1)::boolean) p',
                         jsonb_build_array(p_policies, p_sort)) l,
         jsonb_to_record(l) p (policy text, batch text, plan json, code text, message text)
$function$;

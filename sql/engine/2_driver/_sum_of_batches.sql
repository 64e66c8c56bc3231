-- _sum_of_batches returns the sum of a jsonb column of counts over a run's batches, key by key.
CREATE OR REPLACE FUNCTION retention._sum_of_batches(p_run bigint, p_column text) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT coalesce(jsonb_object_agg(x.key, x.total), '{}')
    FROM (SELECT e.key, sum(e.value::bigint) AS total FROM retention.batch b, jsonb_each_text(to_jsonb(b) -> p_column) e
          WHERE b.run_id = p_run GROUP BY e.key HAVING sum(e.value::bigint) > 0) x
$function$;

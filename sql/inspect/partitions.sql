-- partitions returns the partitions that meet a policy's condition at a given time, with the window
-- in force. It locks nothing. The runner, operators and viewers may call it.
-- kept_by: what keeps the partition, NULL if the partition is due
-- rows: the planner's estimate
-- bytes: the size with indexes and TOAST
CREATE OR REPLACE FUNCTION retention.partitions(policy text, as_of timestamptz)
RETURNS TABLE (
    "schema" text, name text, parent text, value text, lower text, upper text, kept_by text, rows bigint, bytes bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT p.*
    FROM retention._query_as_worker(format(
        'SELECT jsonb_build_object(''rows'', x.rows, ''bytes'', x.bytes, ''kept_by'', d.verdict) || to_jsonb(d.t)
         FROM %s CROSS JOIN LATERAL (
             SELECT CASE WHEN min(c.reltuples) >= 0 THEN sum(c.reltuples)::bigint END AS rows,
                    sum(pg_total_relation_size(c.oid))::bigint AS bytes
             FROM pg_partition_tree(d.rel) l JOIN pg_class c ON c.oid = l.relid WHERE l.isleaf) x
         ORDER BY d.upper, (d.t).schema, (d.t).name', retention._rows_call(retention._get_policy(policy),
             'retention._batch_range(($1 ->> 1)::timestamptz, retention.window_of($1 ->> 0))')),
        jsonb_build_array(policy, as_of), policy) l,
        jsonb_to_record(l) p ("schema" text, name text, parent text, value text, lower text, upper text, kept_by text,
                              rows bigint, bytes bigint)
$function$;

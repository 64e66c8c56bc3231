-- row_statistics returns what "pgretain verify" asks about the rows of a policy, as JSON. Keys:
-- no_clock (rows that are never due, because they lack a clock), ahead (rows with a clock far
-- ahead), first and last (the range of these clocks), all_ahead (true if all clocks are far ahead),
-- archives (rows of the given runs, by table). Counts stop at max_rows, except those of archives.
-- Locks nothing.
CREATE OR REPLACE FUNCTION retention.row_statistics(policy text, as_of timestamptz, runs bigint[], max_rows bigint)
    RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT retention._query_as_worker('SELECT retention._row_statistics_as_worker($1 ->> 0, ($1 ->> 1)::timestamptz,
        ARRAY(SELECT jsonb_array_elements_text($1 -> 2))::bigint[], ($1 ->> 3)::bigint)',
        jsonb_build_array(policy, as_of, coalesce(runs, '{}'), max_rows), policy)
$function$;

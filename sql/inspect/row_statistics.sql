-- row_statistics returns the facts about the rows of a policy that "pgretain verify" needs, as
-- JSON. It locks nothing. Keys:
-- - no_clock: how many rows are never due because they lack a clock
-- - ahead: how many rows have a clock far in the future
-- - first, last: the range of these clocks
-- - all_ahead: true if all clocks are far in the future
-- - the name of each archive: how many rows of each of the given runs it has
-- Counts stop at max_rows, except those of archives.
CREATE OR REPLACE FUNCTION retention.row_statistics(policy text, as_of timestamptz, runs bigint[], max_rows bigint)
    RETURNS jsonb
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT retention._query_as_worker('SELECT retention._row_statistics_as_worker($1 ->> 0, ($1 ->> 1)::timestamptz,
        ARRAY(SELECT jsonb_array_elements_text($1 -> 2))::bigint[], ($1 ->> 3)::bigint)',
        jsonb_build_array(policy, as_of, coalesce(runs, '{}'), max_rows), policy)
$function$;

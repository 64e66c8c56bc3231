-- why returns whether a run would take the rows with these column values, and what keeps each row.
-- It locks nothing. The runner, operators and viewers may call it. They need no privilege on the
-- table.
-- key: a JSON object {column: value}, or the value of a key of one column
-- kept_by: a guard, "hold", "not due" (by the clock), or "scope" (the row is outside the scopes of
--   the policy's jobs)
-- until: when the row becomes due by its clock, to the second. NULL if that is not within 1000
--   years.
-- Raises P0002 for an unknown policy, and 42703 for an unknown column. Raises 22023 or 0A000 if key
-- names no rows, or if it is one value and the table's key has several columns.
-- Example: SELECT * FROM retention.why('sessions', '4711');
CREATE OR REPLACE FUNCTION retention.why(policy text, key text, as_of timestamptz DEFAULT clock_timestamp())
RETURNS TABLE (due boolean, kept_by text, until timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT w.*
    FROM retention._query_as_worker(
            'SELECT to_jsonb(w) FROM retention._why_as_worker($1 ->> 0, $1 ->> 1, ($1 ->> 2)::timestamptz) w',
            jsonb_build_array(policy, key, as_of), policy) l,
         jsonb_to_record(l) w (due boolean, kept_by text, until timestamptz)
$function$;

-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.loans_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.loan, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.loan t
    WHERE ((t.used_at <= retention._cutoff(($1).as_of, 0, 0, '00:00:00', 'UTC') AND coalesce(($1).pass, 1) = 1)
           OR (t.used_at IS NULL AND coalesce(($1).pass, 2) = 2))
$function$;

-- to drop it

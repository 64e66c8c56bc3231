-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.loans_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.loan, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.loan t
    WHERE t.created_at < retention._local_floor(retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC'), 'UTC', false)
$function$;

-- to drop it

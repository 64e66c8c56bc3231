-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.loans_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.loan, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.loan t
    WHERE t.id > (SELECT t.id FROM app.rolled t WHERE (t.what = 'loan'))
$function$;

-- to drop it

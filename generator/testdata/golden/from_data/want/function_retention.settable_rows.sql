-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.settable_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.loan, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.loan t
    WHERE t.used_at < retention._cutoff_of(($1).as_of, coalesce(($1).older_than, '0 months 30 days 00:00:00'), 'UTC')
$function$;

-- to drop it

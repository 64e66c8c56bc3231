-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.by_age_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.not_served, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.not_served t
    WHERE t.at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')
$function$;

-- to drop it

-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.events_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.event, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.event t
    WHERE t.at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC')
$function$;

-- to drop it

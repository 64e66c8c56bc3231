-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.by_timestamp_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.clocks, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.clocks t
    WHERE t.at < retention._local_floor(retention._cutoff(($1).as_of, 0, 1, '00:00:00', 'Europe/Berlin'), 'Europe/Berlin', false)
$function$;

-- to drop it

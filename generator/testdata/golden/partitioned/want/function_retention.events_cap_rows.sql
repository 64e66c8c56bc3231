-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.events_cap_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.event, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.event t
    LEFT JOIN (
        SELECT t.tableoid AS rel, t.ctid AS tid FROM app.event t WHERE true ORDER BY t.at DESC, t.id DESC
        LIMIT 1000000) places_beyond_1 ON (places_beyond_1.rel, places_beyond_1.tid) = (t.tableoid, t.ctid)
    WHERE places_beyond_1.tid IS NULL
$function$;

-- to drop it

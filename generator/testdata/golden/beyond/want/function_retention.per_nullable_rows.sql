-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.per_nullable_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.note t
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t.state AS k1 FROM app.note t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid FROM app.note t
            WHERE (t.state = g.k1 OR t.state IS NULL AND g.k1 IS NULL) ORDER BY t.id DESC
            LIMIT 3) f) places_beyond_1 ON (places_beyond_1.rel, places_beyond_1.tid) = (t.tableoid, t.ctid)
    WHERE places_beyond_1.tid IS NULL
$function$;

-- to drop it

-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.notes_ranked_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN (t.starred) THEN 'starred'
               WHEN (t.starred) IS NULL THEN 'starred' || '?'
               WHEN (t.tag IS NOT NULL) THEN 'tagged'
               WHEN (t.tag IS NOT NULL) IS NULL THEN 'tagged' || '?'
           END FROM app.note t
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t.owner_id AS k1 FROM app.note t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid FROM app.note t WHERE (NOT ((t.starred) IS NOT FALSE))
              AND ((t.tag IS NOT NULL) IS NOT FALSE) IS NOT NULL AND t.owner_id = g.k1
            ORDER BY ((t.tag IS NOT NULL) IS NOT FALSE) DESC, ((t.tableoid, t.ctid) IN (SELECT h.rel, h.tid FROM retention._held_rows('notes_ranked', ($1).as_of) h)) DESC, t.id DESC
            LIMIT 10) f) places_beyond_1 ON (places_beyond_1.rel, places_beyond_1.tid) = (t.tableoid, t.ctid)
    WHERE (NOT ((t.starred) IS NOT FALSE)) AND ((t.tag IS NOT NULL) IS NOT FALSE) IS NOT NULL
      AND places_beyond_1.tid IS NULL
$function$;

-- to drop it

-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.notes_kept_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN (t.starred) THEN 'starred'
               WHEN (t.starred) IS NULL THEN 'starred' || '?'
               WHEN (EXISTS (SELECT FROM app.review r WHERE r.note_id = t.id AND r.open)) THEN 'open_review'
               WHEN (EXISTS (SELECT FROM app.review r WHERE r.note_id = t.id AND r.open)) IS NULL THEN 'open_review' || '?'
               WHEN places_tagged.tid IS NOT NULL THEN 'tagged'
               WHEN places_one_a_day.tid IS NOT NULL THEN 'one_a_day'
           END FROM app.note t
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t.owner_id AS k1 FROM app.note t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid FROM app.note t
            WHERE (t.tag IS NOT NULL AND NOT ((t.starred) IS NOT FALSE)) AND t.owner_id = g.k1 ORDER BY t.id DESC
            LIMIT 2) f) places_tagged ON (places_tagged.rel, places_tagged.tid) = (t.tableoid, t.ctid)
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t.owner_id AS k1, (date_trunc('day', t.made_at))::text AS k2 FROM app.note t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid FROM app.note t WHERE t.owner_id = g.k1
              AND (date_trunc('day', t.made_at))::text IS NOT DISTINCT FROM g.k2 ORDER BY t.made_at DESC
            FETCH FIRST 1 ROWS WITH TIES) f) places_one_a_day ON (places_one_a_day.rel,
                places_one_a_day.tid) = (t.tableoid, t.ctid)
    WHERE t.made_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')
$function$;

-- to drop it

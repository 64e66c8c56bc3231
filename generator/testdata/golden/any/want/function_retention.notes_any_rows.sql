-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.notes_any_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.note t
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t.owner_id AS k1 FROM app.note t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid FROM app.note t WHERE (t.kind <> 'pinned') AND t.owner_id = g.k1
            ORDER BY t.made_at DESC, t.id DESC
            LIMIT 50) f) places_beyond_3 ON (places_beyond_3.rel, places_beyond_3.tid) = (t.tableoid, t.ctid)
    WHERE (t.kind <> 'pinned')
      AND (((t.kind <> 'pinned') AND places_beyond_3.tid IS NULL AND coalesce(($1).pass, 1) = 1)
           OR (t.made_at < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC') AND coalesce(($1).pass, 2) = 2)
           OR (t.expires_at < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC') AND coalesce(($1).pass, 3) = 3)
           OR (t.expires_at IS NULL AND coalesce(($1).pass, 4) = 4))
$function$;

-- to drop it

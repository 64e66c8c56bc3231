-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.by_rank_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.served, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.served t
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t.owner_id AS k1 FROM app.served t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid FROM app.served t WHERE t.owner_id = g.k1
            ORDER BY t.at DESC, t.id DESC
            LIMIT 3) f) places_beyond_1 ON (places_beyond_1.rel, places_beyond_1.tid) = (t.tableoid, t.ctid)
    WHERE places_beyond_1.tid IS NULL
$function$;

-- to drop it

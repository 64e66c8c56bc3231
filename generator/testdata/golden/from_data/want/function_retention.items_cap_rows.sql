-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.items_cap_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t app.note, verdict text) LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t, NULL::text FROM app.note t
    LEFT JOIN app.owner o ON (o.id = t.owner_id)
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t.owner_id AS k1 FROM app.note t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT r.rel, r.tid
            FROM (SELECT t.tableoid AS rel, t.ctid AS tid,
                         CASE
                             WHEN v_count.value IS NULL THEN 3
                             WHEN v_count.value IN (0) THEN NULL
                             WHEN v_count.value <= 0 THEN NULL
                             ELSE least(50, v_count.value)
                         END AS first,
                         row_number() OVER (ORDER BY t.made_at DESC, t.id DESC) AS place
                  FROM app.note t CROSS JOIN LATERAL (SELECT (SELECT o.days FROM app.owner o
                      WHERE o.id = t.owner_id) AS value) v_count
                  WHERE (SELECT o.enabled FROM app.owner o WHERE o.id = t.owner_id) AND t.owner_id = g.k1) r
            WHERE (r.place <= r.first) IS NOT FALSE) f) places_beyond_1 ON (places_beyond_1.rel,
                places_beyond_1.tid) = (t.tableoid, t.ctid)
    WHERE (o.enabled) AND (SELECT o.enabled FROM app.owner o WHERE o.id = t.owner_id) AND places_beyond_1.tid IS NULL
$function$;

-- to drop it

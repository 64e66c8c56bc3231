-- as owner
-- The rows past the first ones of the groups ($1).groups, which n numbers, in their order.
CREATE OR REPLACE FUNCTION retention.items_cap_beyond(slice retention.slice) RETURNS TABLE (n bigint, rel oid, tid tid)
LANGUAGE sql STABLE AS $function$
    SELECT g.n, f.rel, f.tid FROM (SELECT x.n, (x.key ->> 0)::bigint AS k1
          FROM jsonb_array_elements(($1).groups) WITH ORDINALITY AS x(key, n) ORDER BY x.n) g
    CROSS JOIN LATERAL (
        SELECT r.rel, r.tid
        FROM (SELECT t.tableoid AS rel, t.ctid AS tid,
                     CASE
                         WHEN v_count.value IS NULL THEN 3
                         WHEN v_count.value IN (0) THEN NULL
                         WHEN v_count.value <= 0 THEN NULL
                         ELSE least(50, v_count.value)
                     END AS first,
                     row_number() OVER (ORDER BY t.made_at DESC, t.id DESC) AS place,
                     row_number() OVER (ORDER BY t.made_at DESC, t.id DESC) AS n
              FROM app.note t CROSS JOIN LATERAL (SELECT (SELECT o.days FROM app.owner o
                  WHERE o.id = t.owner_id) AS value) v_count
              WHERE (SELECT o.enabled FROM app.owner o WHERE o.id = t.owner_id) AND t.owner_id = g.k1) r
        WHERE r.place > r.first ORDER BY r.n) f ORDER BY g.n
$function$;

-- to drop it

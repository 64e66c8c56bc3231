-- as owner
-- The rows past the first 3 of the groups ($1).groups, which n numbers, in their order.
CREATE OR REPLACE FUNCTION retention.by_rank_beyond(slice retention.slice) RETURNS TABLE (n bigint, rel oid, tid tid)
LANGUAGE sql STABLE AS $function$
    SELECT g.n, f.rel, f.tid FROM (SELECT x.n, (x.key ->> 0)::bigint AS k1
          FROM jsonb_array_elements(($1).groups) WITH ORDINALITY AS x(key, n) ORDER BY x.n) g
    CROSS JOIN LATERAL (
        SELECT t.tableoid AS rel, t.ctid AS tid FROM app.served t WHERE t.owner_id = g.k1 ORDER BY t.at DESC, t.id DESC
        OFFSET 3) f ORDER BY g.n
$function$;

-- to drop it

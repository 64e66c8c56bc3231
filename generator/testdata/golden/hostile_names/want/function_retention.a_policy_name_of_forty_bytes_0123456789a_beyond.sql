-- as owner
-- The rows past the first 2 of the groups ($1).groups, which n numbers, in their order.
CREATE OR REPLACE FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_beyond(slice retention.slice)
RETURNS TABLE (n bigint, rel oid, tid tid) LANGUAGE sql STABLE AS $function$
    SELECT g.n, f.rel, f.tid FROM (SELECT x.n, (x.key ->> 0)::bigint AS k1
          FROM jsonb_array_elements(($1).groups) WITH ORDINALITY AS x(key, n) ORDER BY x.n) g
    CROSS JOIN LATERAL (
        SELECT t.tableoid AS rel, t.ctid AS tid
        FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
        WHERE (t."batch" = g.k1 OR t."batch" IS NULL AND g.k1 IS NULL) ORDER BY t."end" DESC OFFSET 2) f ORDER BY g.n
$function$;

-- to drop it

-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.a_policy_name_of_forty_bytes_0123456789a_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa", verdict text)
LANGUAGE sql STABLE AS $function$
    SELECT t.tableoid, t.ctid, t.*::"Se""lect"."012345678901234567890123456789012345678901234567890123456789éa", NULL::text
    FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t."batch" AS k1 FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid
            FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t
            WHERE (t."batch" = g.k1 OR t."batch" IS NULL AND g.k1 IS NULL) ORDER BY t."end" DESC
            LIMIT 2) f) places_beyond_1 ON (places_beyond_1.rel, places_beyond_1.tid) = (t.tableoid, t.ctid)
    LEFT JOIN (
        SELECT t.tableoid AS rel, t.ctid AS tid
        FROM "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" t WHERE true
        ORDER BY t."t" DESC, t."end" DESC
        LIMIT 9) places_beyond_2 ON (places_beyond_2.rel, places_beyond_2.tid) = (t.tableoid, t.ctid)
    WHERE ((places_beyond_1.tid IS NULL AND coalesce(($1).pass, 1) = 1)
           OR (t.t < retention._cutoff(($1).as_of, 12, 0, '00:00:00', 'UTC') AND places_beyond_2.tid IS NULL
               AND coalesce(($1).pass, 2) = 2))
$function$;

-- to drop it

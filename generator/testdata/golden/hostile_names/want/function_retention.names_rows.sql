-- as owner
-- Which rows there are at ($1).as_of, and what keeps each of them: those without a verdict go, unless they are held.
CREATE OR REPLACE FUNCTION retention.names_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t "Se""lect"."order by. $function$ {{ .Tag }}", verdict text) LANGUAGE sql STABLE
AS $function1$
    SELECT t.tableoid, t.ctid, t, CASE
               WHEN places_newest.tid IS NOT NULL THEN 'newest'
           END FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
    LEFT JOIN (
        SELECT f.rel, f.tid FROM (SELECT DISTINCT t."数据" AS k1, t."0123456789012345678901234567890123456789012345678901234567890ab" AS k2 FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
              WHERE ($1).tids IS NULL OR t.ctid = ANY (($1).tids)) g
        CROSS JOIN LATERAL (
            SELECT t.tableoid AS rel, t.ctid AS tid FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
            WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
              AND (t."größe'; DROP TABLE x; --") IS NOT NULL
              AND (t."数据" = g.k1 OR t."数据" IS NULL AND g.k1 IS NULL)
              AND t."0123456789012345678901234567890123456789012345678901234567890ab" = g.k2
            ORDER BY t."größe'; DROP TABLE x; --" DESC, t."user" DESC, t."a.b" DESC
            LIMIT 1) f) places_newest ON (places_newest.rel, places_newest.tid) = (t.tableoid, t.ctid)
    WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
      AND t."a ""quoted"" column" < retention._cutoff(($1).as_of, 0, 7, '00:00:00', 'UTC')
$function1$;

-- to drop it

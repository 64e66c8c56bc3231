-- as owner
-- What policy names finds at an instant: the rows that are due, and what keeps the others.
-- For preview, breaker and verifier: pinned as the batch is, so that both mean the same.
-- p_limit stops counting there; p_guards false leaves "keep" and holds out; p_scope and p_older_than
-- are those of a run. Locks nothing.
CREATE OR REPLACE FUNCTION retention.names_count(
    p_as_of timestamptz, p_limit bigint DEFAULT NULL, p_guards boolean DEFAULT true,
    p_scope jsonb DEFAULT NULL, p_older_than interval DEFAULT NULL)
RETURNS retention.due_count
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, "public", pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET bytea_output = 'hex'
SET extra_float_digits = 1
SET standard_conforming_strings = on
SET transform_null_equals = off
SET array_nulls = on
SET row_security = off
SET jit = off
AS $function1$
DECLARE
    v_as_of CONSTANT timestamptz := p_as_of;
    v_cutoff_1_1 CONSTANT timestamptz := retention._cutoff(v_as_of, 0, 7, '00:00:00', 'UTC');
    v_held CONSTANT boolean := EXISTS (
        SELECT FROM retention.hold h
        WHERE h.table_name = ANY (ARRAY['Se"lect.order by. $function$ {{ .Tag }}', 'Se"lect.child']::text[])
          AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of));
    v_out retention.due_count;
BEGIN
    IF NOT p_guards THEN
        SELECT count(*) INTO v_out.due
        FROM (WITH places_newest AS MATERIALIZED (
                  SELECT t.tableoid AS rel, t.ctid AS tid,
                         row_number() OVER (
                             PARTITION BY t."数据", t."0123456789012345678901234567890123456789012345678901234567890ab"
                             ORDER BY t."größe'; DROP TABLE x; --" DESC, t."user" DESC, t."a.b" DESC) AS place
                  FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
                  WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
                    AND (t."größe'; DROP TABLE x; --") IS NOT NULL
              )
              SELECT
              FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
              LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
              WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
                AND t."a ""quoted"" column" < v_cutoff_1_1
              LIMIT p_limit) x;
        v_out.capped := coalesce(v_out.due >= p_limit, false);
        RETURN v_out;
    END IF;
    WITH places_newest AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               row_number() OVER (
                   PARTITION BY t."数据", t."0123456789012345678901234567890123456789012345678901234567890ab"
                   ORDER BY t."größe'; DROP TABLE x; --" DESC, t."user" DESC, t."a.b" DESC) AS place
        FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
        WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
          AND (t."größe'; DROP TABLE x; --") IS NOT NULL
    ), judged AS (
        SELECT t."a ""quoted"" column" AS clock,
               CASE
                   WHEN v_held
                    AND (EXISTS (SELECT FROM retention.hold h
                                 WHERE h.table_name = 'Se"lect.order by. $function$ {{ .Tag }}' AND h.by_column IS NULL
                                   AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of)
                                   AND h.key = ARRAY[t."user"::text, t."a.b"::text])
                         OR ((SELECT retention._owner_holds('Se"lect.order by. $function$ {{ .Tag }}', v_as_of))
                             AND retention._held_by_owner('Se"lect.order by. $function$ {{ .Tag }}', to_jsonb(t.*), v_as_of))
                         OR EXISTS (SELECT FROM retention.hold h
                                    JOIN "Se""lect"."child" reached_1 ON h.key = ARRAY[reached_1."primary"::text]
                                    WHERE h.table_name = 'Se"lect.child' AND h.by_column IS NULL
                                      AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of)
                                      AND reached_1."user" = t."user"
                                      AND reached_1."a.b" = t."a.b")
                         OR ((SELECT retention._owner_holds('Se"lect.child', v_as_of))
                             AND EXISTS (SELECT FROM "Se""lect"."child" reached_1
                                         WHERE reached_1."user" = t."user"
                                           AND reached_1."a.b" = t."a.b"
                                           AND retention._held_by_owner('Se"lect.child', to_jsonb(reached_1.*), v_as_of)))
                         OR EXISTS (
                                SELECT FROM "Se""lect"."child" "c"
                                WHERE (c."user" = t."user" AND c."a.b" = t."a.b")
                                  AND (EXISTS (SELECT FROM retention.hold h
                                               WHERE h.table_name = 'Se"lect.child' AND h.by_column IS NULL
                                                 AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of)
                                                 AND h.key = ARRAY["c"."primary"::text])
                                       OR ((SELECT retention._owner_holds('Se"lect.child', v_as_of))
                                           AND retention._held_by_owner('Se"lect.child', to_jsonb("c".*), v_as_of))))) THEN 'hold'
                   WHEN places_newest.place <= 1 THEN 'newest'
                   ELSE NULL
               END AS kept_by
        FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
        LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
        WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
          AND t."a ""quoted"" column" < v_cutoff_1_1
    ), counted AS (
        SELECT j.clock, j.kept_by FROM judged j
        WHERE p_limit IS NULL OR j.kept_by IS NULL
        LIMIT p_limit
    )
    SELECT count(*) FILTER (WHERE c.kept_by IS NULL),
           (SELECT coalesce(jsonb_object_agg(k.kept_by, k.n), '{}')
            FROM (SELECT rtrim(x.kept_by, '?') AS kept_by, count(*) AS n FROM counted x
                  WHERE x.kept_by IS NOT NULL GROUP BY 1) k),
           min(c.clock) FILTER (WHERE c.kept_by IS NULL)::text,
           max(c.clock) FILTER (WHERE c.kept_by IS NULL)::text,
           coalesce(count(*) >= p_limit, false),
           (SELECT coalesce(jsonb_object_agg(k.kept_by, k.n), '{}')
            FROM (SELECT rtrim(x.kept_by, '?') AS kept_by, count(*) AS n FROM counted x
                  WHERE x.kept_by LIKE '%?' GROUP BY 1) k)
    INTO v_out
    FROM counted c;
    RETURN v_out;
END
$function1$;
REVOKE ALL ON FUNCTION retention.names_count(timestamp with time zone, bigint, boolean, jsonb, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.names_count(timestamp with time zone, bigint, boolean, jsonb, interval)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.names_count(timestamp with time zone, bigint, boolean, jsonb, interval)
    IS 'pgretain: what policy names finds at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.names_count(timestamp with time zone, bigint, boolean, jsonb, interval);

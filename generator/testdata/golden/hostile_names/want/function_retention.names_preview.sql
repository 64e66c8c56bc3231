-- as owner
-- What the steps of policy names would do to all that is due at an instant: which rows would go or
-- change, how many would be added. What foreign keys take from there is retention.blast_radius's part.
-- One statement, so that all numbers are of one moment. p_limit looks at so many due rows only.
-- Locks nothing; reads what is due and what the steps reach.
CREATE OR REPLACE FUNCTION retention.names_preview(
    p_as_of timestamptz, p_limit bigint DEFAULT NULL,
    p_scope jsonb DEFAULT NULL, p_older_than interval DEFAULT NULL)
RETURNS SETOF retention.effect
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
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
BEGIN
    RETURN QUERY
    WITH places_newest AS MATERIALIZED (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               row_number() OVER (
                   PARTITION BY t."数据", t."0123456789012345678901234567890123456789012345678901234567890ab"
                   ORDER BY t."größe'; DROP TABLE x; --" DESC, t."user" DESC, t."a.b" DESC) AS place
        FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
        WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
          AND (t."größe'; DROP TABLE x; --") IS NOT NULL
    ), judged AS (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               CASE
                   WHEN v_held
                    AND (EXISTS (SELECT FROM retention.hold h
                                 WHERE h.table_name = 'Se"lect.order by. $function$ {{ .Tag }}' AND h.by_column IS NULL
                                   AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of)
                                   AND h.key = ARRAY[t."user"::text, t."a.b"::text])
                         OR ((SELECT retention._owner_holds('Se"lect.order by. $function$ {{ .Tag }}', v_as_of))
                             AND retention._held_by_owner('Se"lect.order by. $function$ {{ .Tag }}', to_jsonb(t.*), v_as_of))
                         OR EXISTS (SELECT FROM retention.hold h
                                    JOIN "Se""lect".child reached_1 ON h.key = ARRAY[reached_1."primary"::text]
                                    WHERE h.table_name = 'Se"lect.child' AND h.by_column IS NULL
                                      AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of)
                                      AND reached_1."user" = t."user"
                                      AND reached_1."a.b" = t."a.b")
                         OR ((SELECT retention._owner_holds('Se"lect.child', v_as_of))
                             AND EXISTS (SELECT FROM "Se""lect".child reached_1
                                         WHERE reached_1."user" = t."user"
                                           AND reached_1."a.b" = t."a.b"
                                           AND retention._held_by_owner('Se"lect.child', to_jsonb(reached_1.*), v_as_of)))
                         OR EXISTS (
                                SELECT FROM "Se""lect".child c
                                WHERE (c."user" = t."user" AND c."a.b" = t."a.b")
                                  AND (EXISTS (SELECT FROM retention.hold h
                                               WHERE h.table_name = 'Se"lect.child' AND h.by_column IS NULL
                                                 AND h.released_at IS NULL AND (h.until IS NULL OR h.until > v_as_of)
                                                 AND h.key = ARRAY[c."primary"::text])
                                       OR ((SELECT retention._owner_holds('Se"lect.child', v_as_of))
                                           AND retention._held_by_owner('Se"lect.child', to_jsonb(c.*), v_as_of))))) THEN 'hold'
                   WHEN (places_newest.place <= 1) IS TRUE THEN 'newest'
                   ELSE NULL
               END AS kept_by
        FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
        LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
        WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
          AND t."a ""quoted"" column" < v_cutoff_1_1
    ), taken AS MATERIALIZED (
        SELECT j.*
        FROM judged j
        WHERE j.kept_by IS NULL
        LIMIT p_limit
    ), step_1 AS MATERIALIZED (
        SELECT 'delete' AS verb, c.tableoid AS rel, c.ctid AS tid, NULL::bigint AS n, NULL::text AS note
        FROM "Se""lect".child c
        CROSS JOIN taken batch
                   JOIN "Se""lect"."order by. $function$ {{ .Tag }}" t ON t.ctid = batch.tid AND t.tableoid = batch.rel
        WHERE (c."user" = t."user" AND c."a.b" = t."a.b")
        GROUP BY c.tableoid, c.ctid
    ), step_2 AS MATERIALIZED (
        SELECT 'delete' AS verb, x.rel, x.tid, NULL::bigint AS n, NULL::text AS note FROM taken x
    )
    SELECT 0, 'due', NULL::text, NULL::oid, NULL::tid, count(*), NULL::text, NULL::text[], NULL::text[] FROM taken
    UNION ALL
    SELECT 1, s.verb, 'Se"lect.child', s.rel, s.tid, s.n, s.note, NULL::text[], NULL::text[] FROM step_1 s
    UNION ALL
    SELECT 2, s.verb, 'Se"lect.order by. $function$ {{ .Tag }}', s.rel, s.tid, s.n, s.note, NULL::text[], NULL::text[] FROM step_2 s;
END
$function1$;
REVOKE ALL ON FUNCTION retention.names_preview(timestamp with time zone, bigint, jsonb, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.names_preview(timestamp with time zone, bigint, jsonb, interval)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.names_preview(timestamp with time zone, bigint, jsonb, interval)
    IS 'pgretain: what the steps of policy names would do at an instant';

-- to drop it

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
    v_held CONSTANT boolean := retention._holds('names', v_as_of);
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
                   WHEN (places_newest.place <= 1) IS TRUE THEN 'newest'
                   WHEN false THEN NULL
               END AS spared_by
        FROM "Se""lect"."order by. $function$ {{ .Tag }}" t
        LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
        WHERE (t."größe'; DROP TABLE x; --" IS NOT NULL AND t."{{ . }}" AND t."a.b" > '')
          AND t."a ""quoted"" column" < v_cutoff_1_1
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('names',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, false) h
        WHERE retention._holds('names', v_as_of)
    ), taken AS MATERIALIZED (
        SELECT j.*
        FROM judged j
        WHERE CASE WHEN j.spared_by IS NULL AND (j.rel, j.tid) IN (SELECT h.rel, h.tid FROM held h) THEN 'hold' ELSE j.spared_by END IS NULL
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

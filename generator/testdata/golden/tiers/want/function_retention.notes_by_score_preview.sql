-- as owner
-- What the steps of policy notes_by_score would do to all that is due at an instant: which rows would go or
-- change, how many would be added. What foreign keys take from there is retention.blast_radius's part.
-- One statement, so that all numbers are of one moment. p_limit looks at so many due rows only.
-- Locks nothing; reads what is due and what the steps reach.
CREATE OR REPLACE FUNCTION retention.notes_by_score_preview(
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
AS $function$
DECLARE
    v_as_of CONSTANT timestamptz := p_as_of;
    v_cutoff_1_1 CONSTANT timestamptz := retention._cutoff(v_as_of, 0, 30, '00:00:00', 'UTC');
    v_cutoff_1_3 CONSTANT timestamptz := retention._cutoff(v_as_of, 0, 7, '00:00:00', 'UTC');
    v_cutoff_1 CONSTANT timestamptz := greatest(v_cutoff_1_1, v_cutoff_1_3);
    v_held CONSTANT boolean := retention._holds('notes_by_score', v_as_of);
BEGIN
    RETURN QUERY
    WITH judged AS (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               CASE
                   WHEN false THEN NULL
               END AS spared_by
        FROM app.note t
        WHERE t.made_at < v_cutoff_1
          AND t.made_at < CASE WHEN (t.score >= 0.5) THEN v_cutoff_1_1 WHEN (t.starred) THEN NULL ELSE v_cutoff_1_3 END
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('notes_by_score',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, false) h
        WHERE retention._holds('notes_by_score', v_as_of)
    ), taken AS MATERIALIZED (
        SELECT j.*
        FROM judged j
        WHERE CASE WHEN j.spared_by IS NULL AND (j.rel, j.tid) IN (SELECT h.rel, h.tid FROM held h) THEN 'hold' ELSE j.spared_by END IS NULL
        LIMIT p_limit
    ), step_1 AS MATERIALIZED (
        SELECT 'delete' AS verb, x.rel, x.tid, NULL::bigint AS n, NULL::text AS note FROM taken x
    )
    SELECT 0, 'due', NULL::text, NULL::oid, NULL::tid, count(*), NULL::text, NULL::text[], NULL::text[] FROM taken
    UNION ALL
    SELECT 1, s.verb, 'app.note', s.rel, s.tid, s.n, s.note, NULL::text[], NULL::text[] FROM step_1 s;
END
$function$;
REVOKE ALL ON FUNCTION retention.notes_by_score_preview(timestamp with time zone, bigint, jsonb, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.notes_by_score_preview(timestamp with time zone, bigint, jsonb, interval)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.notes_by_score_preview(timestamp with time zone, bigint, jsonb, interval)
    IS 'pgretain: what the steps of policy notes_by_score would do at an instant';

-- to drop it

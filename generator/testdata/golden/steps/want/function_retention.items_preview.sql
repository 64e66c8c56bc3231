-- as owner
-- What the steps of policy items would do to all that is due at an instant: which rows would go or
-- change, how many would be added. What foreign keys take from there is retention.blast_radius's part.
-- One statement, so that all numbers are of one moment. p_limit looks at so many due rows only.
-- Locks nothing; reads what is due and what the steps reach.
CREATE OR REPLACE FUNCTION retention.items_preview(
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
    v_cutoff_1_1 CONSTANT timestamptz := retention._cutoff(v_as_of, 0, 90, '00:00:00', 'UTC');
    v_held CONSTANT boolean := retention._holds('items', v_as_of);
BEGIN
    RETURN QUERY
    WITH judged AS (
        SELECT t.tableoid AS rel, t.ctid AS tid,
               CASE
                   WHEN false THEN NULL
               END AS spared_by
        FROM app.item t
        WHERE t.at < v_cutoff_1_1
    ),
    held AS MATERIALIZED (
        SELECT h.rel, h.tid
        FROM retention._held('items',
            ARRAY(SELECT j.rel FROM judged j WHERE j.spared_by IS NULL), ARRAY(SELECT j.tid FROM judged j
                WHERE j.spared_by IS NULL),
            v_as_of, false) h
        WHERE retention._holds('items', v_as_of)
    ), taken AS MATERIALIZED (
        SELECT j.*
        FROM judged j
        WHERE CASE WHEN j.spared_by IS NULL AND (j.rel, j.tid) IN (SELECT h.rel, h.tid FROM held h) THEN 'hold' ELSE j.spared_by END IS NULL
        LIMIT p_limit
    ), step_1 AS MATERIALIZED (
        SELECT 'delete' AS verb, l.tableoid AS rel, l.ctid AS tid, NULL::bigint AS n, NULL::text AS note
        FROM app.loan l
        CROSS JOIN taken batch
                   JOIN app.item t ON t.ctid = batch.tid AND t.tableoid = batch.rel
        WHERE (l.note_id = t.id AND l.used_at < t.at)
        GROUP BY l.tableoid, l.ctid
    ), step_2 AS MATERIALIZED (
        SELECT 'delete' AS verb, t.tableoid AS rel, t.ctid AS tid, NULL::bigint AS n, NULL::text AS note
        FROM taken batch
             JOIN app.item t ON t.ctid = batch.tid AND t.tableoid = batch.rel
        WHERE (NOT EXISTS (SELECT FROM (SELECT o.* FROM app.loan o WHERE NOT EXISTS (SELECT FROM step_1 g
            WHERE g.tid = o.ctid AND g.rel = o.tableoid)) l WHERE l.note_id = t.id))
    ), step_3 AS MATERIALIZED (
        SELECT 'delete' AS verb, b.tableoid AS rel, b.ctid AS tid, NULL::bigint AS n, NULL::text AS note
        FROM app.blob b
        CROSS JOIN taken batch
                   JOIN app.item t ON t.ctid = batch.tid AND t.tableoid = batch.rel
        WHERE (b.id = t.blob_id AND NOT EXISTS (SELECT FROM (SELECT o.* FROM app.item o WHERE NOT EXISTS (SELECT FROM step_2 g WHERE g.tid = o.ctid AND g.rel = o.tableoid)) x WHERE x.blob_id = b.id) AND NOT 'kept' = ANY (t.labels))
        GROUP BY b.tableoid, b.ctid
    )
    SELECT 0, 'due', NULL::text, NULL::oid, NULL::tid, count(*), NULL::text, NULL::text[], NULL::text[] FROM taken
    UNION ALL
    SELECT 1, s.verb, 'app.loan', s.rel, s.tid, s.n, s.note, NULL::text[], NULL::text[] FROM step_1 s
    UNION ALL
    SELECT 2, s.verb, 'app.item', s.rel, s.tid, s.n, s.note, NULL::text[], NULL::text[] FROM step_2 s
    UNION ALL
    SELECT 3, s.verb, 'app.blob', s.rel, s.tid, s.n, s.note, NULL::text[], NULL::text[] FROM step_3 s
    UNION ALL
    SELECT 0, 'unknown', NULL::text, NULL::oid, NULL::tid, NULL::bigint, 'step 2 writes other rows of the policy''s own table: later batches may judge otherwise', NULL::text[], NULL::text[]
    UNION ALL
    SELECT 3, 'unknown', NULL::text, NULL::oid, NULL::tid, NULL::bigint, 'it reads table "app.item", which step 2 writes', NULL::text[], NULL::text[]
    UNION ALL
    SELECT 3, 'unknown', NULL::text, NULL::oid, NULL::tid, NULL::bigint, 'it reads table "app.item", which step 2 writes', NULL::text[], NULL::text[];
END
$function$;
REVOKE ALL ON FUNCTION retention.items_preview(timestamp with time zone, bigint, jsonb, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.items_preview(timestamp with time zone, bigint, jsonb, interval)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.items_preview(timestamp with time zone, bigint, jsonb, interval)
    IS 'pgretain: what the steps of policy items would do at an instant';

-- to drop it

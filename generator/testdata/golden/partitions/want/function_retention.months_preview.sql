-- as owner
-- What the steps of policy months would do to all that is due at an instant: which rows would go or
-- change, how many would be added. What foreign keys take from there is retention.blast_radius's part.
-- One statement, so that all numbers are of one moment. p_limit looks at so many due rows only.
-- Locks nothing; reads what is due and what the steps reach.
CREATE OR REPLACE FUNCTION retention.months_preview(
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
    v_cutoff_1_1 CONSTANT date := retention._local_floor(retention._cutoff(v_as_of, 3, 0, '00:00:00', 'UTC'), 'UTC', true)::date;
    v_held CONSTANT boolean := retention._holds('months', v_as_of);
BEGIN
    RETURN QUERY
    WITH taken AS MATERIALIZED (
        SELECT j.*
        FROM (
            WITH part AS MATERIALIZED (
                SELECT p.rel AS tableoid, '(0,0)'::tid AS ctid, p."schema", p.name, p.parent,
                       p.lower::date AS lower, p.upper::date AS upper, p.detaching,
                       NOT p.detaching AND row_number() OVER last = 1 AS newest
                FROM retention._partitions('app.event'::regclass) p
                WINDOW last AS (PARTITION BY p.above, p.detaching ORDER BY p.upper::date DESC NULLS FIRST)
            ), places_newest AS MATERIALIZED (
                SELECT t.tableoid AS rel, t.ctid AS tid,
                       row_number() OVER (
                           ORDER BY coalesce(lower(t.lower::text), '-infinity') = '-infinity', t.upper DESC, t.schema DESC, t.name DESC) AS place
                FROM part t
                WHERE NOT t.detaching
                  AND lower(t.upper::text) <> 'infinity'
                  AND (t.name LIKE 'event_%')
            )
            SELECT t.*, j.kept_by
            FROM part t
            LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
            CROSS JOIN LATERAL (SELECT CASE
                WHEN t.detaching THEN 'detaching'
                WHEN (EXISTS (SELECT FROM (SELECT p.* FROM app.event p WHERE p.at >= coalesce(t.lower, '-infinity'::date) AND p.at < t.upper) AS "partition" WHERE state = 'pending')) IS NOT FALSE THEN 'pending'
                WHEN places_newest.place <= 2 THEN 'newest'
                WHEN v_held AND retention._held_partition(t.tableoid, v_as_of) THEN 'hold'
            END AS kept_by OFFSET 0) j
            WHERE t.upper IS NOT NULL
              AND NOT t.newest
              AND (t.name LIKE 'event_%')
              AND t.upper <= v_cutoff_1_1) j
        WHERE j.kept_by IS NULL
        LIMIT p_limit
    ), step_1 AS MATERIALIZED (
        SELECT 'detach' AS verb, t.tableoid AS rel, NULL::tid AS tid, NULL::bigint AS n, NULL::text AS note FROM taken t
    )
    SELECT 0, 'due', NULL::text, NULL::oid, NULL::tid, count(*), NULL::text, NULL::text[], NULL::text[] FROM taken
    UNION ALL
    SELECT 1, s.verb, 'app.event', s.rel, s.tid, s.n, s.note, NULL::text[], NULL::text[] FROM step_1 s;
END
$function$;
REVOKE ALL ON FUNCTION retention.months_preview(timestamp with time zone, bigint, jsonb, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.months_preview(timestamp with time zone, bigint, jsonb, interval)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.months_preview(timestamp with time zone, bigint, jsonb, interval)
    IS 'pgretain: what the steps of policy months would do at an instant';

-- to drop it

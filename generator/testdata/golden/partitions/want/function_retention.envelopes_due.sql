-- as owner
-- The partitions that policy envelopes would take at an instant, for people:
--   SELECT * FROM retention.envelopes_due(now());
-- "rows" is the planner's estimate, NULL before the first ANALYZE; "bytes" counts indexes and TOAST.
-- Runs with its caller's rights and search_path.
CREATE OR REPLACE FUNCTION retention.envelopes_due(p_as_of timestamptz)
RETURNS TABLE ("schema" text, name text, parent text, value integer, lower bigint, upper bigint, rows bigint, bytes bigint)
LANGUAGE sql STABLE
AS $function$
    SELECT j."schema", j.name, j.parent, j.value, j.lower, j.upper, x.rows, x.bytes
    FROM (
        WITH part AS MATERIALIZED (
            SELECT p.rel AS tableoid, '(0,0)'::tid AS ctid, p."schema", p.name, p.parent,
                   p.value::integer AS value,
                   p.lower::bigint AS lower, p.upper::bigint AS upper, p.detaching,
                   NOT p.detaching AND row_number() OVER last = 1 AS newest
            FROM retention._partitions('"app"."envelope"'::regclass) p
            WINDOW last AS (PARTITION BY p.above, p.detaching ORDER BY p.upper::bigint DESC NULLS FIRST)
        ), places_beyond_1 AS MATERIALIZED (
            SELECT t.tableoid AS rel, t.ctid AS tid,
                   row_number() OVER (
                       PARTITION BY t.value
                       ORDER BY t.upper DESC, t."schema" DESC, t."name" DESC) AS place
            FROM part t
            WHERE NOT t.detaching
              AND (NOT EXISTS (SELECT FROM (SELECT p.* FROM "app"."envelope" p WHERE p."node" = t.value AND p."seq" >= coalesce(t.lower, '-9223372036854775808'::bigint) AND p."seq" < t.upper) p WHERE p.expires_at > p_as_of))
        )
        SELECT t.*, j.kept_by
        FROM part t
        LEFT JOIN places_beyond_1 ON places_beyond_1.rel = t.tableoid AND places_beyond_1.tid = t.ctid
        CROSS JOIN LATERAL (SELECT CASE
            WHEN t.detaching THEN 'detaching'
            WHEN EXISTS (
                     SELECT FROM (SELECT p.* FROM "app"."envelope" p WHERE p."node" = t.value AND p."seq" >= coalesce(t.lower, '-9223372036854775808'::bigint) AND p."seq" < t.upper) p
                     WHERE EXISTS (SELECT FROM retention.hold h
                                   WHERE h.table_name = 'app.envelope' AND h.by_column IS NULL
                                     AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                                     AND h.key = ARRAY[p."node"::text, p."seq"::text])
                        OR ((SELECT retention._owner_holds('app.envelope', p_as_of))
                            AND retention._held_by_owner('app.envelope', to_jsonb(p.*), p_as_of))) THEN 'hold'
        END AS kept_by OFFSET 0) j
        WHERE t.upper IS NOT NULL
          AND NOT t.newest
          AND (NOT EXISTS (SELECT FROM (SELECT p.* FROM "app"."envelope" p WHERE p."node" = t.value AND p."seq" >= coalesce(t.lower, '-9223372036854775808'::bigint) AND p."seq" < t.upper) p WHERE p.expires_at > p_as_of))
          AND places_beyond_1.place > 1) j
    CROSS JOIN LATERAL (
        SELECT CASE WHEN min(c.reltuples) >= 0 THEN sum(c.reltuples)::bigint END AS rows,
               sum(pg_total_relation_size(c.oid))::bigint AS bytes
        FROM pg_partition_tree(j.tableoid) l JOIN pg_class c ON c.oid = l.relid
        WHERE l.isleaf) x
    WHERE j.kept_by IS NULL
    ORDER BY j.upper, j."schema", j.name
$function$;
REVOKE ALL ON FUNCTION retention.envelopes_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.envelopes_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.envelopes_due(timestamp with time zone)
    IS 'pgretain: the partitions that policy envelopes would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.envelopes_due(timestamp with time zone);

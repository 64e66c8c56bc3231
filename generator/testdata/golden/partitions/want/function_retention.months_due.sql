-- as owner
-- The partitions that policy months would take at an instant, for people:
--   SELECT * FROM retention.months_due(now());
-- "rows" is the planner's estimate, NULL before the first ANALYZE; "bytes" counts indexes and TOAST.
-- Runs with its caller's rights and search_path.
CREATE OR REPLACE FUNCTION retention.months_due(p_as_of timestamptz)
RETURNS TABLE ("schema" text, name text, parent text, lower date, upper date, rows bigint, bytes bigint)
LANGUAGE sql STABLE
AS $function$
    SELECT j."schema", j.name, j.parent, j.lower, j.upper, x.rows, x.bytes
    FROM (
        WITH part AS MATERIALIZED (
            SELECT p.rel AS tableoid, '(0,0)'::tid AS ctid, p."schema", p.name, p.parent,
                   p.lower::date AS lower, p.upper::date AS upper, p.detaching,
                   NOT p.detaching AND row_number() OVER last = 1 AS newest
            FROM retention._partitions('"app"."event"'::regclass) p
            WINDOW last AS (PARTITION BY p.above, p.detaching ORDER BY p.upper::date DESC NULLS FIRST)
        ), places_newest AS MATERIALIZED (
            SELECT t.tableoid AS rel, t.ctid AS tid,
                   row_number() OVER (
                       ORDER BY t.upper DESC, t."schema" DESC, t."name" DESC) AS place
            FROM part t
            WHERE NOT t.detaching
              AND (t.name LIKE 'event_%')
        )
        SELECT t.*, j.kept_by
        FROM part t
        LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
        CROSS JOIN LATERAL (SELECT CASE
            WHEN t.detaching THEN 'detaching'
            WHEN EXISTS (
                     SELECT FROM (SELECT p.* FROM "app"."event" p WHERE p."at" >= coalesce(t.lower, '-infinity'::date) AND p."at" < t.upper) p
                     WHERE EXISTS (SELECT FROM retention.hold h
                                   WHERE h.table_name = 'app.event' AND h.by_column IS NULL
                                     AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
                                     AND h.key = ARRAY[p."id"::text, p."at"::text])
                        OR ((SELECT retention._owner_holds('app.event', p_as_of))
                            AND retention._held_by_owner('app.event', to_jsonb(p.*), p_as_of))) THEN 'hold'
            WHEN (EXISTS (SELECT FROM (SELECT p.* FROM "app"."event" p WHERE p."at" >= coalesce(t.lower, '-infinity'::date) AND p."at" < t.upper) AS "partition" WHERE state = 'pending')) IS NOT FALSE THEN 'pending'
            WHEN places_newest.place <= 2 THEN 'newest'
        END AS kept_by OFFSET 0) j
        WHERE t.upper IS NOT NULL
          AND NOT t.newest
          AND (t.name LIKE 'event_%')
          AND t."upper" <= (retention._cutoff(p_as_of, 3, 0, '00:00:00', 'UTC') AT TIME ZONE 'UTC')::date) j
    CROSS JOIN LATERAL (
        SELECT CASE WHEN min(c.reltuples) >= 0 THEN sum(c.reltuples)::bigint END AS rows,
               sum(pg_total_relation_size(c.oid))::bigint AS bytes
        FROM pg_partition_tree(j.tableoid) l JOIN pg_class c ON c.oid = l.relid
        WHERE l.isleaf) x
    WHERE j.kept_by IS NULL
    ORDER BY j.upper, j."schema", j.name
$function$;
REVOKE ALL ON FUNCTION retention.months_due(timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.months_due(timestamp with time zone)
    TO retention_operator, retention_viewer;
COMMENT ON FUNCTION retention.months_due(timestamp with time zone)
    IS 'pgretain: the partitions that policy months would take at an instant';

-- to drop it
DROP FUNCTION IF EXISTS retention.months_due(timestamp with time zone);

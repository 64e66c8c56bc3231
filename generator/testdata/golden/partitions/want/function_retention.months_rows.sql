-- as owner
-- Which partitions policy months is about at an instant, ($1).as_of, and what keeps each of them: those without
-- a verdict go. The one definition: whatever counts, shows or compares them asks it.
-- Runs with its caller's rights and search_path; retention.partitions('months', now()) shows them with their size.
CREATE OR REPLACE FUNCTION retention.months_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t retention.partition, verdict text, lower date, upper date) LANGUAGE sql STABLE
AS $function$
    SELECT j.tableoid, NULL::tid, ROW(j."schema", j.name, j.parent, NULL, j.lower::text, j.upper::text)::retention.partition,
           j.kept_by, j.lower, j.upper
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
            FROM part t WHERE NOT t.detaching AND lower(t.upper::text) <> 'infinity' AND (t.name LIKE 'event_%')
        )
        SELECT t.*, j.kept_by FROM part t
        LEFT JOIN places_newest ON places_newest.rel = t.tableoid AND places_newest.tid = t.ctid
        CROSS JOIN LATERAL (SELECT CASE
            WHEN t.detaching THEN 'detaching'
            WHEN (EXISTS (SELECT FROM (SELECT p.* FROM app.event p WHERE p.at >= coalesce(t.lower, '-infinity'::date) AND p.at < t.upper) AS "partition" WHERE state = 'pending')) IS NOT FALSE THEN 'pending'
            WHEN places_newest.place <= 2 THEN 'newest'
            WHEN retention._held_partition(t.tableoid, ($1).as_of) THEN 'hold'
        END AS kept_by OFFSET 0) j
        WHERE t.upper IS NOT NULL AND NOT t.newest AND (t.name LIKE 'event_%')
          AND t.upper <= retention._local_floor(retention._cutoff(($1).as_of, 3, 0, '00:00:00', 'UTC'), 'UTC', true)::date) j
$function$;

-- to drop it

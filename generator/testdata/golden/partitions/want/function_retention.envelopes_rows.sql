-- as owner
-- Which partitions policy envelopes is about at an instant, ($1).as_of, and what keeps each of them: those without
-- a verdict go. The one definition: whatever counts, shows or compares them asks it.
-- Runs with its caller's rights and search_path; retention.partitions('envelopes', now()) shows them with their size.
CREATE OR REPLACE FUNCTION retention.envelopes_rows(slice retention.slice)
RETURNS TABLE (rel oid, tid tid, t retention.partition, verdict text, lower bigint, upper bigint) LANGUAGE sql STABLE
AS $function$
    SELECT j.tableoid, NULL::tid, ROW(j."schema", j.name, j.parent, j.value::text, j.lower::text, j.upper::text)::retention.partition,
           j.kept_by, j.lower, j.upper
    FROM (
        WITH part AS MATERIALIZED (
            SELECT p.rel AS tableoid, '(0,0)'::tid AS ctid, p."schema", p.name, p.parent,
                   p.value::integer AS value,
                   p.lower::bigint AS lower, p.upper::bigint AS upper, p.detaching,
                   NOT p.detaching AND row_number() OVER last = 1 AS newest
            FROM retention._partitions('app.envelope'::regclass) p
            WINDOW last AS (PARTITION BY p.above, p.detaching ORDER BY p.upper::bigint DESC NULLS FIRST)
        ), places_beyond_1 AS MATERIALIZED (
            SELECT t.tableoid AS rel, t.ctid AS tid,
                   row_number() OVER (
                       PARTITION BY t.value
                       ORDER BY coalesce(lower(t.lower::text), '-infinity') = '-infinity', t.upper DESC, t.schema DESC, t.name DESC) AS place
            FROM part t WHERE NOT t.detaching AND lower(t.upper::text) <> 'infinity'
              AND (NOT EXISTS (SELECT FROM (SELECT p.* FROM app.envelope p WHERE p.node = t.value AND p.seq >= coalesce(t.lower, '-9223372036854775808'::bigint) AND p.seq < t.upper) p WHERE p.expires_at > ($1).as_of))
        )
        SELECT t.*, j.kept_by FROM part t
        LEFT JOIN places_beyond_1 ON places_beyond_1.rel = t.tableoid AND places_beyond_1.tid = t.ctid
        CROSS JOIN LATERAL (SELECT CASE
            WHEN t.detaching THEN 'detaching'
            WHEN retention._held_partition(t.tableoid, ($1).as_of) THEN 'hold'
        END AS kept_by OFFSET 0) j
        WHERE t.upper IS NOT NULL AND NOT t.newest
          AND (NOT EXISTS (SELECT FROM (SELECT p.* FROM app.envelope p WHERE p.node = t.value AND p.seq >= coalesce(t.lower, '-9223372036854775808'::bigint) AND p.seq < t.upper) p WHERE p.expires_at > ($1).as_of))
          AND places_beyond_1.place > 1) j
$function$;

-- to drop it

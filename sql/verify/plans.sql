-- Returns how the functions of batches would read the rows of their policies, as one JSON array of
-- accesses.
-- $1: policies
-- $2: the table of each policy
-- $3: NULL, or the result of this query. Then the policies that have an access with astray are
--   planned again, with sorting disabled.
-- The query leaves out tables of fewer than 1,000 pages. It includes a small table if tables
-- inherit from it that are not partitions, because those may lack indexes.
-- Keys of an access:
-- - n: the number of the plan
-- - policy
-- - batch: the function
-- - code, message: the error, if planning failed
-- - name, sql: the table, also quoted as SQL
-- - pages, rows: the size of the table
-- - changed: how many rows have changed since the last ANALYZE
-- - unknown: true if a part of the table was never analyzed
-- - relation: the table or partition that is read
-- - index, cond: the index and its condition
-- - by_index: true if the access uses an index
-- - reckoned: how many rows PostgreSQL estimates
-- - sorted: true if all rows that are read are sorted
-- - astray: true if the access reads more than one batch. It has no index, or it sorts, or its
--   index does not have the order.
-- If another session holds or awaits ACCESS EXCLUSIVE on a table, pages is the size at the last
-- VACUUM or ANALYZE. Reading the present size would wait for the lock.
WITH RECURSIVE asked AS (
    SELECT w.policy, w.name FROM unnest($1::text[], $2::text[]) AS w (policy, name)
    WHERE $3::jsonb IS NULL OR w.policy IN (
        SELECT a.policy FROM jsonb_to_recordset($3) AS a (policy text, astray boolean) WHERE a.astray)
), member AS (
    SELECT n.nspname || '.' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS sql, c.oid, false AS inherits
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname IN (SELECT a.name FROM asked a) AND c.relkind IN ('r', 'p')
    UNION ALL
    SELECT m.name, m.sql, i.inhrelid, NOT x.relispartition
    FROM member m JOIN pg_inherits i ON i.inhparent = m.oid JOIN pg_class x ON x.oid = i.inhrelid
), locked AS MATERIALIZED (
    SELECT DISTINCT l.relation
    FROM pg_locks l JOIN pg_database b ON b.oid = l.database AND b.datname = current_database()
    WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
), size AS MATERIALIZED (
    SELECT m.name, m.sql, sum(p.pages)::bigint AS pages, sum(greatest(c.reltuples, 0))::bigint AS rows,
           coalesce(sum(pg_stat_get_mod_since_analyze(c.oid)), 0)::bigint AS changed,
           coalesce(bool_or(c.reltuples < 0 AND p.pages > 0), false) AS unknown, bool_or(m.inherits) AS inherits
    FROM member m JOIN pg_class c ON c.oid = m.oid AND c.relkind = 'r' LEFT JOIN locked l ON l.relation = m.oid
    CROSS JOIN LATERAL (SELECT CASE WHEN l.relation IS NOT NULL THEN c.relpages
        ELSE pg_relation_size(m.oid) / current_setting('block_size')::bigint END) p (pages)
    GROUP BY 1, 2
), batch AS MATERIALIZED (
    SELECT p.*
    FROM (SELECT array_agg(a.policy) AS policies FROM asked a JOIN size s USING (name)
          WHERE s.pages >= 1000 OR s.inherits HAVING count(*) > 0) l
    CROSS JOIN LATERAL retention._plans(l.policies, $3 IS NULL) WITH ORDINALITY p (policy, batch, plan, code, message,
        n)
), node AS (
    SELECT b.n, p.value -> 'Plan' AS plan, false AS sorted, false AS boundary
    FROM batch b CROSS JOIN jsonb_array_elements(b.plan::jsonb) p
    UNION ALL -- sorted: a Sort reads the rows, directly or through the listed nodes, which only pass them on
    SELECT n.n, p.value, (p.value ->> 'Parent Relationship' IN ('InitPlan', 'SubPlan')) IS NOT TRUE
           AND (n.plan ->> 'Node Type' = 'Sort' OR n.sorted AND n.plan ->> 'Node Type' IN (
               'Append', 'Merge Append', 'Gather', 'Gather Merge', 'Limit', 'LockRows', 'Result', 'Subquery Scan',
               'WindowAgg', 'Incremental Sort')),
           n.boundary OR coalesce(p.value ->> 'Subplan Name' LIKE 'CTE %', false)
    FROM node n CROSS JOIN jsonb_array_elements(n.plan -> 'Plans') p
), access AS MATERIALIZED ( -- EXPLAIN appends a number to alias t if t is used twice or has partitions
    SELECT n.n, n.sorted, n.boundary, n.plan ->> 'Relation Name' AS relation,
           coalesce(n.plan ->> 'Index Name', '') AS index, coalesce(n.plan ->> 'Index Cond', '') AS cond,
           n.plan ->> 'Node Type' ~ '^(Index|Tid Scan$|Foreign Scan$)' AS by_index,
           (n.plan ->> 'Plan Rows')::float8 AS reckoned
    FROM node n WHERE n.plan ->> 'Alias' ~ '^t(_\d+)?$' AND n.plan ? 'Relation Name'
)
SELECT coalesce(jsonb_agg(to_jsonb(x)), '[]')::text
FROM (SELECT b.n, b.policy, b.batch, b.code, b.message, s.name, s.sql, s.pages, s.rows, s.changed, s.unknown,
             a.relation, a.index, a.cond, a.reckoned, a.by_index, a.sorted,
             coalesce(NOT a.by_index OR a.sorted -- only conditions on the boundary or the clock have <=
                      OR NOT a.boundary AND strpos(a.cond, ' <= ') = 0 AND EXISTS (
                          SELECT FROM access o WHERE o.n = a.n AND o.boundary AND (
                              a.cond = '' OR o.relation = a.relation AND o.index <> a.index)), false) AS astray
      FROM batch b JOIN asked w USING (policy) JOIN size s USING (name) LEFT JOIN access a USING (n)) x

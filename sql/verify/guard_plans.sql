-- Returns the tables that guards and joins read from end to end, one row for each policy.
-- $1: policies
-- n: the position of the policy in $1
-- table: the table that is read
-- often: true if each row of a batch reads the table, false if each batch does
-- condition: the condition for which no index was used; '' if there is none
-- hashed: the columns whose values PostgreSQL keeps in a hash table; '' if there is none
-- sql_state, error: the error, if planning failed. Then the other columns are empty.
-- The query leaves out policies whose SQL uses no other table of 1,000 pages, and policies that
-- read less than 1,000 pages without an index. Sizes are those of the last VACUUM or ANALYZE.
-- Below a Materialize or Hash node, PostgreSQL usually reads once and keeps the rows.
WITH RECURSIVE asked AS (
    SELECT array_agg(p.name) AS policies FROM retention.policy p
    WHERE p.name = ANY ($1::text[]) AND EXISTS (
        SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE p.dependencies ? (n.nspname || '.' || c.relname) AND c.relkind IN ('r', 'p', 'm')
          AND (c.relpages >= 1000 OR c.relkind = 'p'))
), recheck AS MATERIALIZED (
    SELECT g.* FROM asked a CROSS JOIN LATERAL retention._guard_plans(a.policies) g WHERE a.policies IS NOT NULL
), node AS (
    SELECT r.policy, r.plan::text AS everything, p.value -> 'Plan' AS plan, false AS often, NULL::jsonb AS hashed
    FROM recheck r CROSS JOIN jsonb_array_elements(r.plan::jsonb) p
    UNION ALL
    SELECT n.policy, n.everything, p.value, CASE
        WHEN p.value ->> 'Parent Relationship' = 'SubPlan'
        THEN strpos(n.everything, format('hashed %s)', p.value ->> 'Subplan Name')) = 0
        WHEN p.value ->> 'Parent Relationship' = 'InitPlan' OR n.plan ->> 'Node Type' IN ('Materialize', 'Hash')
        THEN false
        ELSE n.often OR n.plan ->> 'Node Type' = 'Nested Loop' AND p.value ->> 'Parent Relationship' = 'Inner' END,
        CASE p.value ->> 'Parent Relationship' WHEN 'SubPlan' THEN p.value -> 'Output' ELSE n.hashed END
    FROM node n CROSS JOIN jsonb_array_elements(n.plan -> 'Plans') p
), whole AS (
    SELECT n.policy, n.often, n.plan ->> 'Schema' || '.' || (n.plan ->> 'Relation Name') AS name,
           n.plan ->> 'Filter' AS condition, c.relpages AS pages, CASE WHEN NOT n.often THEN (
               SELECT string_agg(o, ', ') FROM jsonb_array_elements_text(n.hashed) o) END AS hashed
    FROM node n JOIN pg_class c ON c.oid = to_regclass(format('%I.%I', n.plan ->> 'Schema', n.plan ->> 'Relation Name'))
    WHERE n.plan ->> 'Node Type' = 'Seq Scan'
       OR n.plan ->> 'Node Type' IN ('Index Scan', 'Index Only Scan') AND NOT n.plan ? 'Index Cond'
), found AS (
    SELECT DISTINCT ON (w.policy) w.policy, w.often, w.name, w.condition, w.hashed,
           sum(w.pages) OVER (PARTITION BY w.policy, w.often) AS pages
    FROM whole w ORDER BY w.policy, w.often DESC, w.pages DESC
)
SELECT array_position($1::text[], r.policy) AS n, coalesce(f.name, '') AS "table", coalesce(f.often, false) AS often,
       coalesce(f.condition, '') AS condition, coalesce(f.hashed, '') AS hashed, coalesce(r.code, '') AS sql_state,
       coalesce(r.message, '') AS error
FROM recheck r LEFT JOIN found f USING (policy)
WHERE f.pages >= 1000 OR r.code IS NOT NULL
ORDER BY 1

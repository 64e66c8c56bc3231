-- Returns policies whose batches do not find their rows by an index, or cannot be planned.
-- $1: policies
-- $2: for each policy, a number of rows that are sorted at no noticeable cost
-- $3: the result of query plans
-- $4: the result of query plans with sorting disabled
-- Columns of the result:
-- - n: the position of the policy in $1
-- - sql_state, error: the error, if planning failed. Then the other columns are empty.
-- - batch: the function
-- - name, sql: the policy's table, also quoted as SQL
-- - no_index: true if no index has the order of the policy
-- - relation: the table or partition that is read
-- - index, condition: the index and its condition
-- - by_index: true if the rows are read by the index
-- - sorted: true if all rows that are read are sorted
-- - changed, rows: how many rows of how many have changed since the last ANALYZE
-- - unknown: true if a part of the table was never analyzed
-- - estimate: how many rows PostgreSQL estimates
-- - build: a statement that builds an index in the order of the policy; '' if a migration builds it
-- No migration builds the index of a policy for each schema.
-- For a table with few rows another plan may be cheaper, if the statistics are fresh. They are old
-- if more than one row of five has changed since the last ANALYZE. By default, autovacuum analyzes
-- a table after one row of ten has changed.
WITH access AS (
    SELECT w.sorts, x.*
    FROM (VALUES (true, $3::jsonb), (false, $4::jsonb)) AS w (sorts, list)
    CROSS JOIN LATERAL jsonb_to_recordset(w.list) AS x (
        n integer, policy text, batch text, name text, sql text, pages bigint, rows bigint, changed bigint,
        unknown boolean, code text, message text, relation text, index text, cond text, reckoned float8,
        by_index boolean, sorted boolean, astray boolean)
), evaluated AS (
    SELECT DISTINCT ON (a.policy) a.policy, a.batch, a.name, a.sql, a.changed, a.rows, a.unknown, a.reckoned,
           o.no_index, r.relation, r.index, r.cond, r.by_index, r.sorted
    FROM access a JOIN unnest($1::text[], $2::float8[]) AS w (policy, few) ON w.policy = a.policy
    CROSS JOIN LATERAL (
        SELECT x.*, (NOT x.by_index OR x.sorted) IS TRUE AS no_index
        FROM access x WHERE NOT x.sorts AND (x.policy, x.batch) = (a.policy, a.batch)
        ORDER BY x.by_index, x.sorted DESC LIMIT 1) o
    CROSS JOIN LATERAL ( -- the access to report
        SELECT o.relation, o.index, o.cond, o.by_index, o.sorted WHERE o.no_index
        UNION ALL
        SELECT a.relation, a.index, a.cond, a.by_index, a.sorted WHERE NOT o.no_index) r
    WHERE a.sorts AND a.astray AND o.code IS NULL
      AND (o.no_index OR a.pages >= 1000 AND (a.unknown OR a.changed * 5 > a.rows OR a.reckoned > w.few))
    ORDER BY a.policy, a.n, a.reckoned DESC
)
SELECT array_position($1::text[], j.policy) AS n, '' AS sql_state, '' AS error, j.batch, j.name, j.sql, j.no_index,
       coalesce(j.relation, '') AS relation, coalesce(j.index, '') AS index, coalesce(j.cond, '') AS condition,
       j.by_index, j.sorted, j.changed, j.rows, j.unknown, j.reckoned::text AS estimate, coalesce(i.build, '') AS build
FROM evaluated j
LEFT JOIN LATERAL (
    SELECT format('CREATE INDEX CONCURRENTLY ON %s (%s);', j.sql,
                  string_agg(substr(c.item ->> 0, 3), ', ' ORDER BY c.n)) AS build
    FROM retention.policy p
    CROSS JOIN LATERAL jsonb_array_elements(p.passes #> '{0,cursor}') WITH ORDINALITY AS c (item, n)
    WHERE j.no_index AND p.name = j.policy AND p.name LIKE '%@%' AND jsonb_array_length(p.passes) = 1
      AND EXISTS (SELECT FROM pg_class r
                  WHERE r.oid = to_regclass(j.sql) AND r.relname = j.relation AND r.relkind = 'r')
    HAVING bool_and(c.item ->> 0 ~ '^t\.([a-z_][a-z0-9_$]*|"([^"]|"")+")$')) i ON true
UNION ALL
SELECT DISTINCT array_position($1::text[], a.policy), a.code, a.message, '', '', '', false, '', '', '', false, false,
       0, 0, false, '', ''
FROM access a WHERE a.sorts AND a.code <> 'PR004' -- another check reports PR004
ORDER BY 1

-- Findings on the plans of batches, one for each policy. V024: no index serves, or the statement
-- cannot be planned. V025: an index serves, but the plan does not use it. V091: planning took too
-- long. V090: planning failed for another reason.
-- $1: policies. Column place is the position in this array.
-- $2: for each policy, a number of rows that are sorted at no noticeable cost
-- $3: the result of query plans
-- $4: the result of query plans with sorting disabled
-- $5: policies for which another finding says why they cannot be planned
-- No migration builds the index of a policy for each schema. So the hint of V024 builds it, in the
-- order in which the policy reads its rows.
-- A batch cannot execute a statement that cannot be planned.
-- For a table with few rows another plan may be cheaper, if the statistics are fresh. They are old
-- if more than one row of five has changed since the last ANALYZE. By default, autovacuum analyzes
-- a table after one row of ten has changed.
WITH access AS (
    SELECT w.sorts, x.*, CASE
        WHEN NOT x.by_index THEN format('reads the whole of "%s"', x.relation)
        WHEN x.sorted THEN format('reads "%s" by index "%s" and sorts what it finds', x.relation, x.index)
        WHEN x.cond <> '' THEN format('reads "%s" by index "%s", where %s', x.relation, x.index, x.cond)
        ELSE format('reads all of index "%s" of "%s"', x.index, x.relation) END AS reads
    FROM (VALUES (true, $3::jsonb), (false, $4::jsonb)) AS w (sorts, list)
    CROSS JOIN LATERAL jsonb_to_recordset(w.list) AS x (
        n integer, policy text, batch text, name text, sql text, pages bigint, rows bigint, changed bigint,
        unknown boolean, code text, message text, relation text, index text, cond text, reckoned float8,
        by_index boolean, sorted boolean, astray boolean)
), evaluated AS (
    SELECT DISTINCT ON (a.policy) a.*, o.reads AS never, o.relation AS lacks
    FROM access a JOIN unnest($1::text[], $2::float8[]) AS w (policy, few) ON w.policy = a.policy
    CROSS JOIN LATERAL (
        SELECT x.code, CASE WHEN NOT x.by_index OR x.sorted THEN x.reads END AS reads, x.relation
        FROM access x WHERE NOT x.sorts AND (x.policy, x.batch) = (a.policy, a.batch)
        ORDER BY x.by_index, x.sorted DESC LIMIT 1) o
    WHERE a.sorts AND a.astray AND o.code IS NULL
      AND (o.reads IS NOT NULL OR a.pages >= 1000 AND (a.unknown OR a.changed * 5 > a.rows OR a.reckoned > w.few))
    ORDER BY a.policy, a.n, a.reckoned DESC
)
SELECT array_position($1::text[], j.policy) AS place, 'V024' AS code, '' AS severity,
       format('no index leads batches of policy "%s" to their rows in table "%s"', j.policy, j.lacks) AS message,
       format('Function "retention.%s" %s, each time. Give that table an index like those of "%s".',
              j.batch, j.never, j.name) AS detail,
       coalesce(i.build, format('SELECT batch, plan FROM retention._plans(ARRAY[%L], true);', j.policy)) AS hint
FROM evaluated j
LEFT JOIN LATERAL (
    SELECT format('CREATE INDEX CONCURRENTLY ON %s (%s);', j.sql,
                  string_agg(substr(c.item ->> 0, 3), ', ' ORDER BY c.n)) AS build
    FROM retention.policy p
    CROSS JOIN LATERAL jsonb_array_elements(p.passes #> '{0,cursor}') WITH ORDINALITY AS c (item, n)
    WHERE p.name = j.policy AND p.name LIKE '%@%' AND jsonb_array_length(p.passes) = 1
      AND EXISTS (SELECT FROM pg_class r WHERE r.oid = to_regclass(j.sql) AND r.relname = j.lacks AND r.relkind = 'r')
    HAVING bool_and(c.item ->> 0 ~ '^t\.([a-z_][a-z0-9_$]*|"([^"]|"")+")$')) i ON true
WHERE j.never IS NOT NULL
UNION ALL
SELECT array_position($1::text[], j.policy), 'V025', '',
       format('batches of policy "%s" would not use the index that leads to their rows in table "%s"',
              j.policy, j.name),
       format('Function "retention.%s" %s. PostgreSQL%s.', j.batch, j.reads,
              CASE WHEN j.unknown THEN ' has no statistics of all of the table'
                   WHEN j.changed * 5 > j.rows
                   THEN format('''s statistics are old: %s of about %s rows have changed since', j.changed, j.rows)
                   ELSE format(' reckons with %s rows each time', j.reckoned) END),
       format('ANALYZE %s;', j.sql)
FROM evaluated j WHERE j.never IS NULL
UNION ALL
SELECT DISTINCT array_position($1::text[], a.policy), f.code, f.severity, format(f.what, a.policy),
       format('The server says: %s [%s].', a.message, a.code),
       format(f.hint, a.policy)
FROM access a JOIN (VALUES
    ('55P03', 'V091', 'unknown', 'checking the plans of policy "%s" took too long', ''), -- lock_not_available
    ('42...', 'V024', '', 'batches of policy "%s" cannot be planned',
     'SELECT batch, plan FROM retention._plans(ARRAY[%L], true);'),
    ('(?!42|55P03).*', 'V090', 'unknown', 'could not check how batches of policy "%s" find their rows',
     'SELECT batch, plan FROM retention._plans(ARRAY[%L], true);')
) AS f (error, code, severity, what, hint) ON a.code ~ ('^' || f.error || '$')
WHERE a.sorts AND a.code <> 'PR004' -- another finding reports PR004
  AND (f.code <> 'V024' OR a.policy <> ALL ($5::text[]))
ORDER BY 1, 2

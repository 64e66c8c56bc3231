-- Findings on the rows of a policy. V061: rows without a clock. V062: rows with a clock far in the
-- future. V067: values that are not timestamps in the clock's encoding. V063: archives that differ
-- from the run log. Column place is 1, but for V063 it is 1 plus the position of the archive.
-- $1: the policy
-- $2: the present time
-- $3: the limit of counts
-- $4: the policy's table
-- $5: the column of its clock, '' if it has none, NULL if rows are not to be counted
-- $6: whether the clock has an encoding
-- $7: archives, as schema.table
-- The rows of a table with a million rows or more are counted only if an index serves. An archive
-- is compared for the newest 20 ended runs of the policy's present version that archived rows. Runs
-- from which rows were restored are left out. The compared runs have at most 100,000 rows together.
WITH column_asked AS (
    SELECT w.n, w.name, pg_get_expr(d.adbin, d.adrelid) AS value,
           EXISTS (SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
                   WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum AND i.indisvalid
                     AND (i.indpred IS NULL OR starts_with(x.relname::text, 'pgretain_')))
           OR coalesce((SELECT sum(CASE WHEN p.reltuples < 0 THEN pg_relation_size(p.oid) / 100 ELSE p.reltuples END)
                        FROM pg_partition_tree(c.oid) l JOIN pg_class p ON p.oid = l.relid
                        WHERE l.isleaf), 0) < 1e6 AS cheap
    FROM (SELECT 1 AS n, $4::text AS name, $5::text AS attname WHERE $5 IS NOT NULL
          UNION ALL
          SELECT u.n::integer + 1, u.name, p.facts -> 'archives' ->> u.name
          FROM unnest($7::text[]) WITH ORDINALITY u (name, n) JOIN retention.policy p ON p.name = $1
          WHERE p.facts -> 'archives' ? u.name) w
    JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace) ON s.nspname || '.' || c.relname = w.name
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.attname AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relkind IN ('r', 'p')
), logged AS MATERIALIZED (
    SELECT a.n, a.name, x.id, x.rows
    FROM column_asked a JOIN retention.policy p ON p.name = $1
    CROSS JOIN LATERAL (
        SELECT y.id, y.rows, sum(y.rows) OVER (ORDER BY y.id DESC) AS together
        FROM (SELECT r.id, (r.related ->> a.name)::bigint AS rows
              FROM retention.run r
              WHERE r.policy = $1 AND r.policy_hash = p.hash AND r.state <> 'running'
                  AND (r.related ->> a.name)::bigint > 0
                AND NOT EXISTS (SELECT FROM retention.restored s WHERE s.run_id = r.id)
              ORDER BY r.id DESC LIMIT 20) y) x
    WHERE a.n > 1 AND a.cheap AND x.together <= 100000
), answer AS MATERIALIZED (
    SELECT retention.row_statistics($1, $2, ARRAY(SELECT l.id FROM logged l), q.most) AS facts
    FROM (SELECT CASE WHEN EXISTS (SELECT FROM column_asked a WHERE a.n = 1 AND a.cheap) THEN $3::bigint
        ELSE 0 END) q (most)
    WHERE q.most > 0 OR EXISTS (SELECT FROM logged)
), fact AS (
    SELECT f.*, (SELECT a.value FROM column_asked a WHERE a.n = 1) AS value
    FROM answer a CROSS JOIN jsonb_to_record(a.facts) f (no_clock bigint, ahead bigint, first text, last text,
        all_ahead boolean)
), differs AS (
    SELECT l.n, l.name, count(*) || CASE count(*) WHEN 1 THEN ' run' ELSE ' runs' END AS runs,
           array_agg(format('run %s: %s', l.id, l.rows) ORDER BY l.id) AS want,
           array_agg(format('run %s: %s', l.id, coalesce(a.facts -> l.name ->> l.id::text, '0')) ORDER BY l.id) AS got
    FROM logged l JOIN answer a ON a.facts ? l.name
    WHERE coalesce(a.facts -> l.name ->> l.id::text, '0') <> l.rows::text GROUP BY l.n, l.name
)
SELECT 1 AS place, 'V061' AS code, CASE WHEN f.value IS NULL THEN 'info' ELSE 'drift' END AS severity,
       format('%s of table "%s" %s no %s and are never due under policy "%s"', r.counted, $4, CASE f.no_clock WHEN 1
           THEN 'has' ELSE 'have' END,
              coalesce('"' || nullif($5, '') || '"', 'clock'), $1) AS message, '' AS want, '' AS got,
       CASE WHEN f.value IS NULL THEN 'A row without a clock value is not due;'
            ELSE format('The column has the default %s, so NULL was written explicitly;', f.value) END
       || ' the policy file does not say whether this is intended.' AS detail,
       'Write "nulls: keep" in the policy to keep them, "nulls: due" to take them; or set their clock, '
       'and make the column NOT NULL.' AS hint
FROM fact f CROSS JOIN LATERAL (
    SELECT f.no_clock || CASE WHEN f.no_clock >= $3 THEN ' rows or more' WHEN f.no_clock = 1 THEN ' row'
        ELSE ' rows' END) r (counted)
WHERE f.no_clock > 0
UNION ALL
SELECT 1, 'V062', 'info',
       format('%s of table "%s" %s a clock far in the future and will not be due under policy "%s" for years',
           r.counted, $4,
              CASE f.ahead WHEN 1 THEN 'has' ELSE 'have' END, $1), '', '',
       format('Their clocks are from %s to %s.', f.first, f.last),
       'Nothing, if they shall stay so long; otherwise find out which application writes such values.'
FROM fact f CROSS JOIN LATERAL (
    SELECT f.ahead || CASE WHEN f.ahead >= $3 THEN ' rows or more' WHEN f.ahead = 1 THEN ' row'
        ELSE ' rows' END) r (counted)
WHERE f.ahead > 0
UNION ALL
SELECT 1, 'V067', CASE WHEN coalesce(e.explained, 0) = 0 AND e.fault IS NULL THEN 'info' ELSE 'drift' END,
       coalesce('policy "' || $1 || '" cannot run: ' || e.fault,
           format('values of "%s" of table "%s" are not timestamps in encoding %s, and are never due under policy "%s"',
                   e.clock, $4,
               e.kind, $1)), '', '',
       CASE WHEN e.fault IS NOT NULL THEN 'Each run trips before it takes a row.'
            ELSE format('Of %s sampled values, %s are not plausible timestamps, for example %s.', e.seen, e.lost,
                e.example) END,
       CASE WHEN e.fault IS NULL AND e.explained = 0
            THEN 'Write "since" in the policy if these are instants; otherwise find out who writes such values.'
            ELSE 'Correct "encoding" in the policy, or write an "expression" that converts the values, or leave them out by '
                 '"where"; then run "pgretain generate".' END
FROM retention._clock_evidence($1, $2) e WHERE $6::boolean AND (e.fault IS NOT NULL OR e.lost > 0)
UNION ALL
SELECT d.n, 'V063', '', format('archive "%s" differs from what policy "%s" archived in %s', d.name, $1, d.runs),
       array_to_string(d.want[:5] || CASE WHEN cardinality(d.want) > 5 THEN '{...}'::text[] END, ', '),
       array_to_string(d.got[:5] || CASE WHEN cardinality(d.got) > 5 THEN '{...}'::text[] END, ', '),
       'No policy of this file takes rows from the archive, so someone else deleted, changed or added rows.',
       'Look for the lost rows in a backup. If an application may delete there, a policy on the archive says so.'
FROM differs d
UNION ALL -- a NULL message: the caller reports that the query cannot be read
SELECT 1, '', '', a.facts::text, '', '', '', '' FROM answer a WHERE a.facts IS NULL
ORDER BY 1, 2

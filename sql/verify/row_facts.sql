-- Returns facts about the rows of a policy's table, if rows are to be counted, and about each
-- archive that differs from the run log.
-- $1: the policy
-- $2: the present time
-- $3: the limit of counts
-- $4: the policy's table
-- $5: the column of its clock, '' if it has none, NULL if rows are not to be counted
-- $6: archives, as schema.table
-- Columns of the result:
-- - n: 0 for the table, otherwise the position of the archive
-- - no_clock: the number of rows without a clock. NULL if row_statistics() returned NULL, so that
--   the caller reports an answer that cannot be read.
-- - ahead: the number of rows with a clock far in the future
-- - first, last: the range of these clocks
-- - column_default: the default of the clock's column, NULL if it has none
-- - runs, want, got: runs, the rows that each of them archived, and the rows that the archive has
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
    FROM (SELECT 0 AS n, $4::text AS name, $5::text AS attname WHERE $5 IS NOT NULL
          UNION ALL
          SELECT u.n::integer, u.name, p.facts -> 'archives' ->> u.name
          FROM unnest($6::text[]) WITH ORDINALITY u (name, n) JOIN retention.policy p ON p.name = $1
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
    WHERE a.n > 0 AND a.cheap AND x.together <= 100000
), answer AS MATERIALIZED (
    SELECT retention.row_statistics($1, $2, ARRAY(SELECT l.id FROM logged l), q.most) AS facts
    FROM (SELECT CASE WHEN EXISTS (SELECT FROM column_asked a WHERE a.n = 0 AND a.cheap) THEN $3::bigint
        ELSE 0 END) q (most)
    WHERE q.most > 0 OR EXISTS (SELECT FROM logged)
)
SELECT 0 AS n, CASE WHEN a.facts IS NOT NULL THEN coalesce(f.no_clock, 0) END AS no_clock,
       coalesce(f.ahead, 0) AS ahead, coalesce(f.first, '') AS first, coalesce(f.last, '') AS last,
       (SELECT c.value FROM column_asked c WHERE c.n = 0) AS column_default,
       '{}'::bigint[] AS runs, '{}'::bigint[] AS want, '{}'::text[] AS got
FROM answer a CROSS JOIN jsonb_to_record(a.facts) f (no_clock bigint, ahead bigint, first text, last text)
UNION ALL
SELECT d.n, 0, 0, '', '', NULL, array_agg(d.id ORDER BY d.id), array_agg(d.rows ORDER BY d.id),
       array_agg(d.got ORDER BY d.id)
FROM (SELECT l.n, l.id, l.rows, coalesce(a.facts -> l.name ->> l.id::text, '0') AS got
      FROM logged l JOIN answer a ON a.facts ? l.name) d
WHERE d.got <> d.rows::text GROUP BY d.n
ORDER BY 1

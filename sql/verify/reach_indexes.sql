-- Returns the foreign keys for which a delete reads the referring table without an index. Tables of
-- at most 128 kB are left out.
-- $1: the result of query reach
-- Columns of the result:
-- - policy, key: the policy and the foreign key
-- - table, sql: the referring table, also quoted as SQL
-- - columns: its columns of the key, as SQL
-- - parent: the table that the key refers to
-- - size: the size of what is read
-- - partitioned: true if the referring table is partitioned
-- - partitions, without: the number of its partitions, and how many of them have no index. Both are
--   1 if the table is not partitioned.
-- - first: one table or partition that has no index
-- - targets: the first three of them, as SQL
-- An index serves the foreign key if all of these are true:
-- - Its first column is a column of the key.
-- - Its operator family has the key's operator.
-- - Its collation is that of the column.
-- - Its predicate follows from an equality on the key's columns.
-- Foreign keys with PERIOD (PostgreSQL 18) are left out, because they have other operators. Each
-- partition is checked on its own.
WITH asked AS (
    SELECT m.policy, m.key AS oid
    FROM jsonb_to_recordset($1::jsonb -> 'keys') AS m (policy text, event text, key oid, off boolean)
    WHERE m.event = 'DELETE'
    GROUP BY m.policy, m.key HAVING NOT bool_or(m.off)
), declared AS MATERIALIZED (
    SELECT k.oid, k.conname, k.conrelid, k.conkey, k.conpfeqop, k.conffeqop, n.nspname || '.' || c.relname AS name,
           format('%I.%I', n.nspname, c.relname) AS sql, c.relkind, pn.nspname || '.' || p.relname AS parent,
           ARRAY(SELECT quote_ident(a.attname)
                 FROM unnest(k.conkey) WITH ORDINALITY AS x (attnum, n)
                 JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = x.attnum ORDER BY x.n) AS columns
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_class p ON p.oid = k.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace
    WHERE k.oid IN (SELECT a.oid FROM asked a) AND NOT coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false)
), key AS MATERIALIZED (
    SELECT k.oid, t.relid, a.attnum, a.attcollation, k.columns,
        ARRAY[p.oid, p.oprcom, k.conffeqop[x.place]] AS operators
    FROM declared k
    CROSS JOIN LATERAL (SELECT k.conrelid UNION SELECT p.relid FROM pg_partition_tree(k.conrelid) p) t (relid)
    CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS x (attnum, place)
    JOIN pg_attribute declared ON declared.attrelid = k.conrelid AND declared.attnum = x.attnum
    JOIN pg_attribute a ON a.attrelid = t.relid AND a.attname = declared.attname
    JOIN pg_operator p ON p.oid = k.conpfeqop[x.place]
), served AS MATERIALIZED (
    SELECT key.oid, key.relid
    FROM key
    JOIN pg_index i ON i.indrelid = key.relid AND i.indisvalid AND i.indisready AND i.indislive
                   AND i.indkey[0] = key.attnum AND i.indcollation[0] IN (0, key.attcollation)
    JOIN pg_opclass o ON o.oid = i.indclass[0]
    JOIN pg_am am ON am.oid = o.opcmethod AND am.amname IN ('btree', 'hash', 'gist', 'spgist')
    CROSS JOIN LATERAL (SELECT coalesce(pg_get_expr(i.indpred, key.relid), '') AS text,
                               '\(("(?:[^"]|"")+"|[^\s()"]+) IS NOT NULL\)' AS not_null) predicate
    WHERE EXISTS (SELECT FROM pg_amop x WHERE x.amopfamily = o.opcfamily AND x.amopopr = ANY (key.operators))
      AND btrim(replace(regexp_replace(predicate.text, predicate.not_null, '', 'g'), 'AND', ''), '() ') = ''
      AND NOT EXISTS (SELECT FROM regexp_matches(predicate.text, predicate.not_null, 'g') AS m (found)
                      WHERE m.found[1] <> ALL (key.columns))
), total AS (
    SELECT m.oid, count(*) FILTER (WHERE NOT m.served) AS n, count(*) AS of,
        sum(s.bytes) FILTER (WHERE NOT m.served) AS bytes,
           min(m.name) FILTER (WHERE NOT m.served) AS first,
               array_agg(m.sql ORDER BY m.name) FILTER (WHERE NOT m.served) AS sql
    FROM (SELECT t.oid, t.relid, n.nspname || '.' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS sql,
                 EXISTS (SELECT FROM served s WHERE s.oid = t.oid AND s.relid = t.relid) AS served
          FROM (SELECT DISTINCT key.oid, key.relid FROM key) t
          JOIN pg_class c ON c.oid = t.relid AND c.relkind = 'r' JOIN pg_namespace n ON n.oid = c.relnamespace) m
    CROSS JOIN LATERAL (SELECT CASE WHEN NOT m.served THEN coalesce(pg_relation_size(m.relid), 0) END AS bytes) s
    GROUP BY m.oid
)
SELECT a.policy, k.conname::text AS key, k.name AS "table", k.sql, array_to_string(k.columns, ', ') AS columns,
       k.parent, pg_size_pretty(t.bytes) AS size, k.relkind = 'p' AS partitioned, t.of AS partitions,
       t.n AS without, t.first, t.sql[1:3] AS targets
FROM asked a JOIN declared k ON k.oid = a.oid
JOIN total t ON t.oid = k.oid AND t.bytes > 16 * 8192 -- 16 pages are read as fast as an index
ORDER BY 1, 3, 2

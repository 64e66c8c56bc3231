-- Findings on foreign keys by which a delete looks for rows, in tables of which that takes longer than to read an index:
-- no index finds them, or for information one that finds too many. $1: oids of keys; $2: the policy that deletes; $3: the
-- path to the table that the key refers to; $4: the rows of a batch where that is the policy's own table, else 0. A batch
-- is no larger than that table.
-- An index helps where its operator family has the key's operator, its collation is the column's, and its predicate
-- follows from an equality with the columns of the key. Keys with a period (PostgreSQL 18) have other operators, and are
-- left out. Each partition is looked at by itself.
WITH asked AS (
    SELECT * FROM unnest($1::oid[], $2::text[], $3::text[], $4::bigint[]) AS a (oid, policy, path, batch)
), declared AS MATERIALIZED (
    SELECT k.oid, k.conname, k.conrelid, k.confrelid, k.conkey, k.conpfeqop, k.conffeqop,
           ARRAY(SELECT quote_ident(a.attname)
                 FROM unnest(k.conkey) WITH ORDINALITY AS c (attnum, n)
                 JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = c.attnum ORDER BY c.n) AS columns
    FROM pg_constraint k
    WHERE k.oid IN (SELECT a.oid FROM asked a) AND NOT coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false)
), key AS MATERIALIZED (
    SELECT k.oid, t.relid, c.place, a.attnum, a.attcollation, k.columns,
           ARRAY[p.oid, p.oprcom, k.conffeqop[c.place]] AS operators
    FROM declared k
    CROSS JOIN LATERAL (SELECT k.conrelid UNION SELECT p.relid FROM pg_partition_tree(k.conrelid) p) t (relid)
    CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS c (attnum, place)
    JOIN pg_attribute declared ON declared.attrelid = k.conrelid AND declared.attnum = c.attnum
    JOIN pg_attribute a ON a.attrelid = t.relid AND a.attname = declared.attname
    JOIN pg_operator p ON p.oid = k.conpfeqop[c.place]
), place AS (
    SELECT key.oid, key.relid, i.indexrelid, key.columns, min(s.n) AS n
    FROM key
    JOIN pg_index i ON i.indrelid = key.relid AND i.indisvalid AND i.indisready AND i.indislive
    JOIN pg_class ic ON ic.oid = i.indexrelid
    JOIN pg_am am ON am.oid = ic.relam AND am.amname IN ('btree', 'hash', 'gist', 'spgist')
    CROSS JOIN LATERAL generate_series(0, i.indnkeyatts - 1) AS s (n)
    JOIN pg_opclass o ON o.oid = i.indclass[s.n]
    WHERE i.indkey[s.n] = key.attnum AND i.indcollation[s.n] IN (0, key.attcollation)
      AND EXISTS (SELECT FROM pg_amop x WHERE x.amopfamily = o.opcfamily AND x.amopopr = ANY (key.operators))
    GROUP BY key.oid, key.relid, key.place, i.indexrelid, key.columns
), helping AS (
    SELECT p.oid, p.relid, ic.relname::text AS name, count(*) = cardinality(p.columns) AND max(p.n) = cardinality(p.columns) - 1 AS whole
    FROM place p
    JOIN pg_class ic ON ic.oid = p.indexrelid
    JOIN pg_index i ON i.indexrelid = p.indexrelid
    CROSS JOIN LATERAL (SELECT coalesce(pg_get_expr(i.indpred, i.indrelid), '') AS text,
                               '\(("(?:[^"]|"")+"|[^\s()"]+) IS NOT NULL\)' AS not_null) predicate
    WHERE btrim(replace(regexp_replace(predicate.text, predicate.not_null, '', 'g'), 'AND', ''), '() ') = ''
      AND NOT EXISTS (SELECT FROM regexp_matches(predicate.text, predicate.not_null, 'g') AS m (found) WHERE m.found[1] <> ALL (p.columns))
    GROUP BY p.oid, p.relid, ic.relname, p.columns
    HAVING min(p.n) = 0
), member AS MATERIALIZED ( -- whole: whether an index finds the rows there; partly: one that has some of the columns
    SELECT t.oid, t.relid, n.nspname || '.' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS sql,
           c.reltuples, c.relpages, coalesce(h.whole, false) AS whole, coalesce(h.partly, '') AS partly
    FROM (SELECT DISTINCT key.oid, key.relid FROM key) t
    JOIN pg_class c ON c.oid = t.relid AND c.relkind = 'r' JOIN pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN (SELECT h.oid, h.relid, bool_or(h.whole) AS whole, max(h.name) AS partly FROM helping h GROUP BY 1, 2) h
           ON h.oid = t.oid AND h.relid = t.relid
), unserved AS (
    SELECT m.*, s.bytes, CASE WHEN m.reltuples < 0 THEN NULL -- never looked at
                              WHEN m.relpages = 0 THEN m.reltuples
                              ELSE m.reltuples / m.relpages * s.bytes / current_setting('block_size')::integer END::bigint AS rows
    FROM member m CROSS JOIN LATERAL (SELECT coalesce(pg_relation_size(m.relid), 0) AS bytes) s
    WHERE NOT m.whole
), total AS (
    SELECT u.oid, count(*) AS n, (SELECT count(*) FROM member m WHERE m.oid = u.oid) AS of, sum(u.bytes) AS bytes,
           CASE WHEN bool_and(u.rows IS NOT NULL) THEN sum(u.rows) END AS rows, min(u.name) AS first,
           array_agg(u.sql ORDER BY u.name) AS sql, (array_agg(u.partly ORDER BY u.name DESC))[1] AS partly
    FROM unserved u GROUP BY u.oid
)
SELECT a.policy, r.name AS object, CASE t.partly WHEN '' THEN 'drift' ELSE 'info' END AS severity,
       format('deletes of policy "%s" look for rows of table "%s" %s', a.policy, r.name,
              CASE t.partly WHEN '' THEN 'without an index' ELSE 'with an index that finds too many' END) AS message,
       CASE WHEN t.partly <> ''
            THEN format('Foreign key "%s" goes by (%s); index "%s" has some of that. How many rows it finds is in the data.', k.conname, r.columns, t.partly)
            ELSE format('For each row that goes, foreign key "%s" (%s) makes PostgreSQL read all of it, %s%s.', k.conname, r.columns,
                        CASE WHEN t.rows IS NOT NULL THEN format('about %s %s, ', t.rows, CASE t.rows WHEN 1 THEN 'row' ELSE 'rows' END) END,
                        size.one)
                 || CASE WHEN t.of > t.n THEN format(' It is so for %s of %s partitions, "%s" for one.', t.n, t.of, t.first) ELSE '' END
                 || CASE WHEN a.batch > 0 THEN format(' A batch of %s reads %s.', CASE a.batch WHEN 1 THEN '1 row' ELSE a.batch || ' rows' END, size.batch) ELSE '' END
                 || format(' The path is %s -> %s.', a.path, r.name) END AS detail,
       CASE WHEN r.relkind <> 'p' THEN format('CREATE INDEX CONCURRENTLY ON %s (%s);', t.sql[1], r.columns)
            ELSE (SELECT string_agg(format('CREATE INDEX CONCURRENTLY ON %s (%s);', s.sql, r.columns), ' ' ORDER BY s.n)
                  FROM unnest(t.sql[1:3]) WITH ORDINALITY AS s (sql, n))
                 || CASE WHEN t.n > 3 THEN format(' and so on for %s more.', t.n - 3) ELSE '' END
                 || format(' When all have one, CREATE INDEX ON %s (%s); for later partitions.', r.sql, r.columns) END AS hint
FROM asked
JOIN declared k ON k.oid = asked.oid
CROSS JOIN LATERAL (
    SELECT asked.policy, asked.path, least(asked.batch, CASE WHEN min(c.reltuples) >= 0 THEN greatest(sum(c.reltuples), 1) END)::bigint AS batch
    FROM (SELECT k.confrelid UNION SELECT p.relid FROM pg_partition_tree(k.confrelid) p) t (relid)
    JOIN pg_class c ON c.oid = t.relid AND c.relkind = 'r'
) a
JOIN total t ON t.oid = k.oid AND t.bytes > 16 * 8192 -- which is read as fast as an index
CROSS JOIN LATERAL (SELECT n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname), c.relkind, array_to_string(k.columns, ', ')
                    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = k.conrelid) r (name, sql, relkind, columns)
CROSS JOIN LATERAL ( -- four digits, none after the point for nothing
    SELECT max(s.text) FILTER (WHERE s.of = 1) AS one, max(s.text) FILTER (WHERE s.of = 2) AS batch
    FROM (SELECT DISTINCT ON (b.of) b.of, trim_scale(round(v.value, greatest(4 - length(trunc(v.value)::text), 0))) || ' ' || u.unit AS text
          FROM (VALUES (1, t.bytes), (2, t.bytes * a.batch)) AS b (of, bytes)
          CROSS JOIN unnest('{bytes,kB,MB,GB,TB,PB}'::text[]) WITH ORDINALITY AS u (unit, n)
          CROSS JOIN LATERAL (SELECT b.bytes::numeric / 1024::numeric ^ (u.n - 1)) AS v (value)
          WHERE u.n = 1 OR v.value >= 1
          ORDER BY b.of, u.n DESC) s) size
ORDER BY 1, 2, 4

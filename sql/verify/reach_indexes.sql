-- Which indexes find the rows that refer to a deleted one. $1: oids of foreign keys. One row per key,
-- table (each partition by itself) and index that may help, or one without index: the key's oid, the
-- table's oid, name and name as SQL writes it, the index's name, whether it begins with all columns of the key
-- (otherwise with some), and its predicate ('' for none). An index helps where its operator
-- family has the key's operator, and its collation is the column's. Keys with a period (PostgreSQL 18)
-- have other operators, and are left out.
WITH key AS (
    SELECT k.oid, t.relid, c.place, a.attnum, a.attcollation, cardinality(k.conkey) AS columns,
           ARRAY[p.oid, p.oprcom, k.conffeqop[c.place]] AS operators
    FROM pg_constraint k
    CROSS JOIN LATERAL (SELECT k.conrelid UNION SELECT p.relid FROM pg_partition_tree(k.conrelid) p) t (relid)
    CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS c (attnum, place)
    JOIN pg_attribute declared ON declared.attrelid = k.conrelid AND declared.attnum = c.attnum
    JOIN pg_attribute a ON a.attrelid = t.relid AND a.attname = declared.attname
    JOIN pg_operator p ON p.oid = k.conpfeqop[c.place]
    WHERE k.oid = ANY ($1::oid[]) AND NOT coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false)
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
    SELECT p.oid, p.relid, p.indexrelid, count(*) = p.columns AND max(p.n) = p.columns - 1 AS whole
    FROM place p
    GROUP BY p.oid, p.relid, p.indexrelid, p.columns
    HAVING min(p.n) = 0
)
SELECT DISTINCT key.oid, c.oid, n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname),
       coalesce(ic.relname::text, ''), coalesce(h.whole, false),
       coalesce(pg_get_expr(i.indpred, i.indrelid), '')
FROM key
JOIN pg_class c ON c.oid = key.relid AND c.relkind = 'r' JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN helping h ON h.oid = key.oid AND h.relid = key.relid
LEFT JOIN pg_class ic ON ic.oid = h.indexrelid
LEFT JOIN pg_index i ON i.indexrelid = h.indexrelid
ORDER BY 1, 3, 5

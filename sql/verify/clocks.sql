-- What is known of columns before their rows are asked about. $1: tables, as schema.table; $2: a column of
-- each, '' for none. One row per pair whose table is there (n: its place from 1): the column's default, whether a usable
-- index begins with it, and about how many rows the table has.
SELECT w.n::integer, coalesce(pg_get_expr(d.adbin, d.adrelid), ''),
       EXISTS (SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
               WHERE i.indrelid = c.oid AND i.indkey[0] = a.attnum AND i.indisvalid
                 AND (i.indpred IS NULL OR starts_with(x.relname::text, 'pgretain_'))),
       coalesce((SELECT sum(CASE WHEN p.reltuples < 0 THEN pg_relation_size(p.oid) / 100 ELSE p.reltuples END)
                 FROM pg_partition_tree(c.oid) l JOIN pg_class p ON p.oid = l.relid
                 WHERE l.isleaf), 0)::float8
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (name, column_name, n)
JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace) ON s.nspname || '.' || c.relname = w.name
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.column_name AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p')
ORDER BY 1

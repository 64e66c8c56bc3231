-- Returns indexes whose comment says that pgretain built them, but that no policy wants. Renamed
-- indexes of wanted tables are left out, and so are indexes of tables that were renamed or moved.
-- $1: names of wanted indexes, as schema.index
-- $2: the table of each index, as schema.table
-- Columns of the result: the index, its name as SQL, its table, its comment, and whether the table
-- is partitioned
WITH wanted AS (
    SELECT w.name, split_part(w.name, '.', -1) AS index_name, t.oid AS table_oid, c.oid IS NULL AS missing
    FROM unnest($1::text[], $2::text[]) AS w (name, table_name)
    LEFT JOIN (pg_class t JOIN pg_namespace ts ON ts.oid = t.relnamespace)
           ON ts.nspname || '.' || t.relname = w.table_name
    LEFT JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
           ON s.nspname || '.' || c.relname = w.name
)
SELECT concat(n.nspname, '.', c.relname) AS name, format('%I.%I', n.nspname, c.relname) AS sql,
       concat(tn.nspname, '.', tc.relname) AS "table", d.description AS comment, c.relkind = 'I' AS partitioned
FROM pg_description d JOIN pg_class c ON c.oid = d.objoid AND c.relkind IN ('i', 'I') AND NOT c.relispartition
JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_index i ON i.indexrelid = c.oid
JOIN pg_class tc ON tc.oid = i.indrelid JOIN pg_namespace tn ON tn.oid = tc.relnamespace
WHERE d.classoid = 'pg_class'::regclass AND d.objsubid = 0 AND d.description LIKE 'pgretain: index %'
  AND NOT EXISTS (SELECT FROM wanted w WHERE w.name = n.nspname || '.' || c.relname)
  AND NOT EXISTS (SELECT FROM wanted w WHERE w.table_oid = i.indrelid AND w.missing)
  AND NOT EXISTS (SELECT FROM wanted w WHERE w.index_name = c.relname::text AND w.table_oid IS NULL)
ORDER BY 1

-- Columns that migrations made. $1: tables, as schema.table; $2: columns. One row per column of a
-- table that there is: the place, whether it is there, its default ('' for none), its type's oid,
-- and whether constants of that can be compared by its input function, which runs nothing of the
-- application's.
SELECT w.n::integer, a.attnum IS NOT NULL, coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(a.atttypid, 0),
       coalesce(t.typtype IN ('b', 'e'), false)
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (name, attname, n)
JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace) ON s.nspname || '.' || c.relname = w.name
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.attname AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
ORDER BY w.n

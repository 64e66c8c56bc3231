-- Returns a row for each column that a migration added, if its table exists.
-- Columns of the result:
-- - the position of the column in $2
-- - whether the column exists
-- - its default as SQL, '' if it has none
-- - the OID of its type
-- - true if its type is a base type or an enum. Comparing constants of such a type runs no code of
--   the application.
-- $1: the table of each column, as schema.table
-- $2: names of columns
SELECT w.n::integer, a.attnum IS NOT NULL, coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(a.atttypid, 0),
       coalesce(t.typtype IN ('b', 'e'), false)
FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (name, attname, n)
JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace) ON s.nspname || '.' || c.relname = w.name
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.attname AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
ORDER BY w.n

-- Columns that migrations made. $1: tables, as schema.table; $2: columns; $3: types, as the policy file has them. One
-- row per column of a table that there is: the place, its type ('' where it is missing), its default ('' for none), that
-- type's oid, whether the wanted type is another one (NULL where nobody knows it), and whether constants of it can be
-- compared by its input function, which runs nothing of the application's.
SELECT w.n::integer, coalesce(format_type(a.atttypid, a.atttypmod), ''),
       coalesce(pg_get_expr(d.adbin, d.adrelid), ''), coalesce(a.atttypid, 0),
       to_regtype(w.type) <> a.atttypid, coalesce(t.typtype IN ('b', 'e'), false)
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w (name, attname, type, n)
JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace) ON s.nspname || '.' || c.relname = w.name
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = w.attname AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
ORDER BY w.n

-- Returns the names under "coverage" that have no effect.
-- $1: schemas
-- $2: exempt tables, as schema.table
-- Columns of the result:
-- - n: the position of the name. The schemas are counted before the tables.
-- - useless: why the table needs no exemption: "view", "foreign" or "extension"; '' if the schema
--   or table does not exist
SELECT w.n::integer AS n, '' AS useless
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
WHERE NOT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = w.name)
UNION ALL
SELECT (cardinality($1::text[]) + x.n)::integer, coalesce(x.useless, '')
FROM (SELECT w.n, c.oid,
             CASE WHEN c.relkind IN ('v', 'm') THEN 'view'
                  WHEN c.relkind = 'f' THEN 'foreign'
                  WHEN EXISTS (SELECT FROM pg_depend e
                               WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
                  THEN 'extension' END AS useless
      FROM unnest($2::text[]) WITH ORDINALITY AS w (name, n)
      LEFT JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
             ON s.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) x
WHERE x.oid IS NULL OR x.useless IS NOT NULL
ORDER BY 1

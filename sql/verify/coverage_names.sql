-- What the names under "coverage" stand for. $1: schemas; $2: tables, as schema.table. One row per
-- name, in their order, the schemas first: whether it is a table's, its place from 1, whether there is
-- such a thing, and why an exemption of the table is of no use ('' where it is of use).
SELECT false, w.n::integer, n.oid IS NOT NULL, ''
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
LEFT JOIN pg_namespace n ON n.nspname = w.name
UNION ALL
SELECT true, w.n::integer, c.oid IS NOT NULL,
       CASE WHEN c.relkind IN ('v', 'm') THEN 'it is a view'
            WHEN c.relkind = 'f' THEN 'its rows are on another server'
            WHEN EXISTS (SELECT FROM pg_depend e
                         WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
            THEN 'it belongs to an extension'
            ELSE '' END
FROM unnest($2::text[]) WITH ORDINALITY AS w (name, n)
LEFT JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
       ON s.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY 1, 2

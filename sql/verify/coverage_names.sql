-- Findings on names under "coverage" that have no effect. The name of a schema or table that does
-- not exist is drift. An exemption that the table does not need is information.
-- Column place is the position of the name. The schemas are counted before the tables.
-- $1: schemas
-- $2: exempt tables, as schema.table
-- $3: the reason for each exempt table
SELECT w.n::integer AS place, 'drift' AS severity,
       format('schema "%s" of "coverage" does not exist', w.name) AS message,
       'If the schema was renamed, its tables are not checked.' AS detail, 'Write its new name, or take it out.' AS hint
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
WHERE NOT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = w.name)
UNION ALL
SELECT (cardinality($1::text[]) + x.n)::integer, CASE WHEN x.oid IS NULL THEN 'drift' ELSE 'info' END,
       CASE WHEN x.oid IS NULL THEN format('table "%s" is exempt and does not exist', x.name)
            ELSE format('table "%s" needs no exemption: %s', x.name, x.useless) END,
       CASE x.reason WHEN '' THEN '' ELSE format('It is exempt for: %s.', x.reason) END,
       CASE WHEN x.oid IS NULL THEN 'Write its new name, or take the exemption out.' ELSE 'Take the exemption out.' END
FROM (SELECT w.n, w.name, w.reason, c.oid,
             CASE WHEN c.relkind IN ('v', 'm') THEN 'it is a view'
                  WHEN c.relkind = 'f' THEN 'its rows are on another server'
                  WHEN EXISTS (SELECT FROM pg_depend e
                               WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
                  THEN 'it belongs to an extension' END AS useless
      FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS w (name, reason, n)
      LEFT JOIN (pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace)
             ON s.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) x
WHERE x.oid IS NULL OR x.useless IS NOT NULL
ORDER BY 1

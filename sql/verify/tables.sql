-- Returns the tables that do not exist although the policy file names them.
-- $1: names, as schema.table
-- Columns of the result:
-- - n: the position of the name
-- - schema: the schema, if it does not exist either; '' if it exists
-- - other: a schema that has tables of all these names, '' if there is none or schema is ''
-- - other_sql: the same, quoted
WITH missing AS (
    SELECT w.name, w.n::integer AS n, split_part(w.name, '.', 1) AS schema,
           substr(w.name, strpos(w.name, '.') + 1) AS relation
    FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
    WHERE NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                      WHERE n.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))
), gone AS (
    SELECT m.schema, array_agg(m.relation) AS relations
    FROM missing m
    WHERE NOT EXISTS (SELECT FROM pg_namespace n WHERE starts_with(m.name, n.nspname || '.'))
    GROUP BY m.schema
), moved AS ( -- a schema that has tables of all these names
    SELECT g.schema, (SELECT n.nspname FROM pg_namespace n
                      WHERE (SELECT count(*) FROM pg_class c
                             WHERE c.relnamespace = n.oid AND c.relname = ANY (g.relations)
                               AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))
                            = (SELECT count(DISTINCT r) FROM unnest(g.relations) r)
                      ORDER BY n.oid LIMIT 1) AS place
    FROM gone g
)
SELECT m.n, coalesce(g.schema, '') AS schema, coalesce(g.place, '') AS other,
       coalesce(quote_ident(g.place), '') AS other_sql
FROM missing m LEFT JOIN moved g ON g.schema = m.schema
ORDER BY 1

-- Findings on tables that do not exist although the policy file names them.
-- $1: an array of objects with these keys:
--   - name: as schema.table
--   - policy: '' if no policy names the table
--   - created: true if a migration creates the table
-- The detail names the schema if it does not exist either. The caller makes one finding of all
-- tables of that schema.
WITH missing AS (
    SELECT w.*, split_part(w.name, '.', 1) AS schema, substr(w.name, strpos(w.name, '.') + 1) AS relation
    FROM ROWS FROM (jsonb_to_recordset($1) AS (name text, policy text, created boolean))
         WITH ORDINALITY AS w (name, policy, created, n)
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
SELECT m.n::integer AS place,
       format('table "%s"%s does not exist', m.name, ' of policy "' || nullif(m.policy, '') || '"') AS message,
       CASE WHEN g.schema IS NULL THEN ''
            ELSE format('Schema "%s" does not exist%s.', g.schema,
                        '; schema "' || g.place || '" has tables of the same names') END AS detail,
       ARRAY[format('"%s" is not there', m.name), format('relation "%s" does not exist', m.name)] AS reasons,
       CASE WHEN m.created
            THEN 'A migration created it: look for its rows in a backup, '
                 'and run the statements of that migration again.'
            WHEN g.place IS NOT NULL
            THEN format('Write "%1$s" instead of "%2$s" in the policy file, then run "pgretain snapshot" and '
                        '"pgretain generate", and migrate. Or undo it: ALTER SCHEMA %1$I RENAME TO %2$I.',
                        g.place, g.schema)
            ELSE 'Rename it in the policy file, or take its policy out; '
                 'then run "pgretain snapshot" and "pgretain generate".' END AS hint
FROM missing m LEFT JOIN moved g ON g.schema = m.schema
ORDER BY 1

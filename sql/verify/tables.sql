-- Findings on tables that do not exist although the policy file names them.
-- $1: an array of objects with these keys:
--   - name: as schema.table
--   - policy: '' if no policy names the table
--   - created: true if a migration creates the table
SELECT w.n::integer AS place,
       format('table "%s"%s does not exist', w.name, ' of policy "' || nullif(w.policy, '') || '"') AS message,
       CASE WHEN w.created
            THEN 'A migration created it: look for its rows in a backup, '
                 'and run the statements of that migration again.'
            ELSE 'Rename it in the policy file, or take its policy out; '
                 'then run "pgretain snapshot" and "pgretain generate".' END AS hint
FROM ROWS FROM (jsonb_to_recordset($1) AS (name text, policy text, created boolean))
     WITH ORDINALITY AS w (name, policy, created, n)
WHERE NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))
ORDER BY 1

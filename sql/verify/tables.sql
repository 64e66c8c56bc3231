-- Findings on tables that the policy file names and that do not exist. $1: names, as schema.table; $2: the policy that
-- names each, or ''; $3: whether a migration makes it.
SELECT w.n::integer AS place,
       format('table "%s"%s does not exist', w.name, ' of policy "' || nullif(w.policy, '') || '"') AS message,
       CASE WHEN w.created
            THEN 'A migration made it: look for its rows in a backup, and run the statements of that migration again.'
            ELSE 'Rename it in the policy file, or take its policy out; '
                 'then run "pgretain snapshot" and "pgretain generate".' END AS hint
FROM unnest($1::text[], $2::text[], $3::boolean[]) WITH ORDINALITY AS w (name, policy, created, n)
WHERE NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname || '.' || c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))
ORDER BY 1

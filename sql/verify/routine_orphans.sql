-- Findings on functions and procedures of the runtime's schema that the policy file does not need.
-- The functions of an installed policy that is not in the policy file go with the next migration.
-- $1: the runtime's schema
-- $2: the expected routines, by signature
SELECT 'function' AS kind, x.name AS object, format('function "%s" is wanted by no policy', x.name) AS message,
       CASE WHEN p.name IS NULL
            THEN 'Functions in this schema come from migrations only: one of your own belongs into another schema.'
            ELSE format('It belongs to policy "%s", which is installed, but not in the policy file.', p.name)
            END AS detail,
       CASE WHEN p.name IS NULL THEN format('DROP ROUTINE %I.%I(%s);', x.nspname, x.proname, x.arguments)
            ELSE 'Run "pgretain generate", and migrate.' END AS hint
FROM (SELECT p.oid, s.nspname, p.proname, a.arguments, s.nspname || '.' || p.proname || '(' || a.arguments
    || ')' AS name
      FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
      CROSS JOIN LATERAL (SELECT pg_get_function_identity_arguments(p.oid)) a (arguments)
      WHERE s.nspname = $1
        AND s.nspname || '.' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')' <> ALL ($2::text[]) OFFSET 0) x
LEFT JOIN LATERAL (
    SELECT p.name FROM retention.policy p
    WHERE starts_with(x.proname, p.name || '_') AND NOT EXISTS (
        SELECT FROM unnest($2::text[]) w (name)
        WHERE to_regprocedure(w.name) = to_regprocedure(
            format('%I.%I(retention.batch_range)', x.nspname, p.name || '_rows')))
    ORDER BY length(p.name) DESC LIMIT 1) p ON true
WHERE NOT EXISTS (SELECT FROM unnest($2::text[]) w (name) WHERE to_regprocedure(w.name) = x.oid)
ORDER BY 2

-- Returns the functions and procedures of the runtime's schema that the policy file does not need.
-- $1: the runtime's schema
-- $2: the expected routines, by signature
-- Columns of the result:
-- - name: the routine, as schema.name(arguments)
-- - sql: the same, quoted
-- - policy: the installed policy that it belongs to, '' if there is none. Then the policy is not in
--   the policy file.
SELECT x.name, format('%I.%I(%s)', x.nspname, x.proname, x.arguments) AS sql, coalesce(p.name, '') AS policy
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
ORDER BY 1

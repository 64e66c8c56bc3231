-- Returns the functions and procedures of the runtime's schema that the policy file does not need.
-- $1: the runtime's schema
-- $2: the expected routines, by signature
-- Columns of the result:
-- - name: the routine, as schema.name(arguments)
-- - sql: the same, quoted
-- - policy: the installed policy that it belongs to, '' if there is none. Then the policy is not in
--   the policy file.
WITH wanted AS MATERIALIZED (
    SELECT to_regprocedure(w.name) AS oid FROM unnest($2::text[]) w (name)
), orphan AS MATERIALIZED (
    SELECT s.nspname, p.proname, pg_get_function_identity_arguments(p.oid) AS arguments
    FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
    WHERE s.nspname = $1 AND NOT EXISTS (SELECT FROM wanted w WHERE w.oid = p.oid)
)
SELECT o.nspname || '.' || o.proname || '(' || o.arguments || ')' AS name,
       format('%I.%I(%s)', o.nspname, o.proname, o.arguments) AS sql, coalesce(p.name, '') AS policy
FROM orphan o
LEFT JOIN LATERAL (
    SELECT p.name FROM retention.policy p
    WHERE starts_with(o.proname, p.name || '_') AND NOT EXISTS (
        SELECT FROM wanted w
        WHERE w.oid = to_regprocedure(format('%I.%I(retention.batch_range)', o.nspname, p.name || '_rows')))
    ORDER BY length(p.name) DESC LIMIT 1) p ON true
ORDER BY 1

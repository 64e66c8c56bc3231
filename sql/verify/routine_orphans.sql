-- Findings on functions and procedures that nobody wants. $1: the runtime's schema; $2: those wanted, as PostgreSQL
-- finds them.
SELECT 'function' AS kind, x.name AS object, format('function "%s" is wanted by no policy', x.name) AS message,
       'Functions in this schema come from migrations only: one of your own belongs into another schema.' AS detail,
       format('DROP ROUTINE %I.%I(%s);', s.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS hint
FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace
CROSS JOIN LATERAL (
    SELECT s.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')') x (name)
WHERE s.nspname = $1 AND NOT EXISTS (SELECT FROM unnest($2::text[]) w (name) WHERE to_regprocedure(w.name) = p.oid)
ORDER BY 2

-- Returns policies that the worker cannot evaluate, because it lacks a privilege on an object that
-- a function of the application uses.
-- $1: names of policies
-- $2: the worker
-- denied: the server's message. It names the object without its schema.
-- function: the function that needs the privilege, '' if it is unknown
-- kind: what the message names: 'table', 'view', 'schema', 'function' or ''
-- object, sql: the object, and its name as SQL. They are '' unless one object of that name is
--   closed to the worker, in the schemas that the worker may use. In other schemas the server names
--   the schema instead.
WITH denied AS (
    SELECT d.*, m[1] AS kind, btrim(m[2], '"') AS name
    FROM retention._denied($1) d
    LEFT JOIN regexp_match(d.message, '^permission denied for (table|view|schema|function) (.+)$') m ON true
    WHERE d.message LIKE 'permission denied for %' AND NOT EXISTS ( -- privileges of the runtime have their own check
        SELECT FROM pg_proc p JOIN pg_class c ON c.relnamespace = p.pronamespace
        WHERE c.oid = 'retention.policy'::regclass AND p.proname = m[2])
), closed AS (
    SELECT d.policy, n.nspname || '.' || c.relname AS object,
           c.oid::regclass::text AS sql
    FROM denied d JOIN pg_class c ON c.relname = d.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.rolname = $2
    WHERE d.kind IN ('table', 'view') AND has_schema_privilege(r.oid, n.oid, 'USAGE')
      AND NOT has_table_privilege(r.oid, c.oid, 'SELECT')
    UNION ALL
    SELECT d.policy, p.oid::regprocedure::text,
           p.oid::regprocedure::text
    FROM denied d JOIN pg_proc p ON p.proname = d.name JOIN pg_roles r ON r.rolname = $2
    WHERE d.kind = 'function' AND has_schema_privilege(r.oid, p.pronamespace, 'USAGE')
      AND NOT has_function_privilege(r.oid, p.oid, 'EXECUTE')
    UNION ALL
    SELECT d.policy, 'schema ' || d.name, quote_ident(d.name)
    FROM denied d WHERE d.kind = 'schema'
), caller AS (
    SELECT d.policy, coalesce((SELECT min(p.oid::regprocedure::text) FROM pg_proc p
                               WHERE p.proname = d.routine OR p.oid::regprocedure::text = d.routine
                               HAVING count(*) = 1), d.routine) AS name
    FROM denied d
)
SELECT d.policy, d.message AS denied, coalesce(c.name, '') AS function, coalesce(x.object, '') AS object,
       coalesce(d.kind, '') AS kind, coalesce(x.sql, '') AS sql
FROM denied d JOIN caller c ON c.policy = d.policy
LEFT JOIN LATERAL (SELECT min(o.object) AS object, min(o.sql) AS sql FROM closed o
                   WHERE o.policy = d.policy HAVING count(*) = 1) x ON true
ORDER BY 1

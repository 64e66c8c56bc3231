-- Returns functions of the application that run with the worker's rights in batches, and use tables
-- on which the worker lacks a privilege.
-- $1: an array of uses: policy, event, trigger, its table, the function, the schema ('' if it is
--   looked up) and the name of the used table, the privilege, and the search path. The trigger is
--   '' if an expression of the policy calls the function.
-- $2: the worker. If there is no such role yet, the privileges of PUBLIC count.
-- $3: an array of the privileges that a migration will grant: kind, schema, name, role, privileges
-- The result has one row for each policy, trigger, function and used table:
-- event: one of the statements of the policy that fire the trigger
-- schema, table: the used table, as schema.table; its name as SQL is sql
-- lacks: the privileges on the table that the worker lacks, separated by ", "
-- lacks_usage: whether the worker lacks USAGE on the schema
-- A name that means no table, or a system table, has no finding: the function may create the table.
WITH worker AS (
    SELECT coalesce((SELECT r.oid FROM pg_roles r WHERE r.rolname = $2::text), 0::oid) AS oid
), given AS (
    SELECT g.* FROM jsonb_to_recordset($3::jsonb) AS g (kind text, schema text, name text, role text, privileges text[])
    WHERE g.role = $2::text
), uses AS (
    SELECT u.policy, u.event, u.trigger, u.on_table, u.function, u.privilege, x.*
    FROM jsonb_to_recordset($1::jsonb) AS u (policy text, event text, trigger text, on_table text, function text,
                                             schema text, name text, privilege text, path text[])
    CROSS JOIN LATERAL (
        SELECT c.oid AS rel, n.oid AS namespace, n.nspname AS schema, n.nspname || '.' || c.relname AS object
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = u.name AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
          AND n.nspname = ANY (CASE u.schema WHEN '' THEN u.path ELSE ARRAY[u.schema] END)
        ORDER BY array_position(u.path, n.nspname::text) LIMIT 1) x
    WHERE x.schema NOT IN ('pg_catalog', 'information_schema')
), lacking AS (
    SELECT u.*, false AS usage FROM uses u, worker w
    WHERE NOT has_table_privilege(w.oid, u.rel, u.privilege)
      AND NOT (u.privilege IN ('SELECT', 'INSERT', 'UPDATE') AND has_any_column_privilege(w.oid, u.rel, u.privilege))
      AND NOT EXISTS (SELECT FROM given g WHERE g.kind = 'table' AND g.schema || '.' || g.name = u.object
                                            AND u.privilege = ANY (g.privileges))
    UNION ALL
    SELECT u.*, true
    FROM uses u, worker w
    WHERE NOT has_schema_privilege(w.oid, u.namespace, 'USAGE')
      AND NOT EXISTS (SELECT FROM given g WHERE g.kind = 'schema' AND g.schema = u.schema)
)
SELECT l.policy, l.trigger, l.on_table, l.function, min(l.event) AS event, l.schema::text, l.object AS "table",
       l.rel::regclass::text AS sql,
       coalesce(string_agg(DISTINCT l.privilege, ', ' ORDER BY l.privilege) FILTER (WHERE NOT l.usage), '') AS lacks,
       bool_or(l.usage) AS lacks_usage
FROM lacking l GROUP BY l.policy, l.trigger, l.on_table, l.function, l.object, l.schema, l.rel
ORDER BY l.policy, l.trigger <> '', l.trigger, l.on_table, l.function, l.object

-- Findings on functions of the application that run with the worker's rights in batches, and use
-- tables on which the worker lacks a privilege.
-- $1: an array of uses: policy, event, trigger, its table, the function, the schema ('' if it is
--   looked up) and the name of the used table, the privilege, and the search path. The trigger is
--   '' if an expression of the policy calls the function.
-- $2: the worker. If there is no such role yet, the privileges of PUBLIC count.
-- $3: an array of the privileges that a migration will grant to the worker: kind, name, needed
-- A name that means no table, or a system table, has no finding: the function may create the table.
WITH worker AS (
    SELECT coalesce((SELECT r.oid FROM pg_roles r WHERE r.rolname = $2::text), 0::oid) AS oid
), given AS (
    SELECT g.* FROM jsonb_to_recordset($3::jsonb) AS g (kind text, name text, needed text)
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
    SELECT u.*, 'TABLE' AS kind FROM uses u, worker w
    WHERE NOT has_table_privilege(w.oid, u.rel, u.privilege)
      AND NOT (u.privilege IN ('SELECT', 'INSERT', 'UPDATE') AND has_any_column_privilege(w.oid, u.rel, u.privilege))
      AND NOT EXISTS (SELECT FROM given g WHERE g.kind = 'table' AND g.name = u.object
                                            AND g.needed ~ format('\m%s\M', u.privilege))
    UNION
    SELECT u.policy, u.event, u.trigger, u.on_table, u.function, 'USAGE', u.rel, u.namespace, u.schema, u.object,
           'SCHEMA'
    FROM uses u, worker w
    WHERE NOT has_schema_privilege(w.oid, u.namespace, 'USAGE')
      AND NOT EXISTS (SELECT FROM given g WHERE g.kind = 'schema' AND g.name = u.schema)
), lists AS (
    SELECT l.policy, l.trigger, l.on_table, l.function, l.object, l.kind, min(l.event) AS event,
           string_agg(DISTINCT l.privilege, ', ' ORDER BY l.privilege) AS privileges,
           CASE l.kind WHEN 'SCHEMA' THEN format('schema "%s"', l.schema) ELSE format('table "%s"', l.object)
               END AS called,
           CASE l.kind WHEN 'SCHEMA' THEN format('SCHEMA %I', l.schema) ELSE l.rel::regclass::text END AS sql
    FROM lacking l GROUP BY l.policy, l.trigger, l.on_table, l.function, l.object, l.kind, l.schema, l.rel
)
SELECT l.policy, l.object,
       format('%s needs %s, which role "%s" lacks',
              CASE l.trigger WHEN '' THEN 'function ' || l.function
                  ELSE format('trigger "%s" on table "%s"', l.trigger, l.on_table) END,
              string_agg(format('%s on %s', l.privileges, l.called), ' and ' ORDER BY l.kind), $2::text) AS message,
       format('%s with the rights of the role. Runs fail, or refuse the rows. Instead of the hint, the owner may make '
              'the function SECURITY DEFINER.',
              CASE l.trigger WHEN '' THEN format('Policy "%s" calls it', l.policy)
                  ELSE format('It fires in batches of policy "%s" on %s, and calls %s', l.policy, min(l.event),
                              l.function) END) AS detail,
       string_agg(format('GRANT %s ON %s TO %I;', l.privileges, l.sql, $2::text), ' ' ORDER BY l.kind) AS hint
FROM lists l GROUP BY l.policy, l.trigger, l.on_table, l.function, l.object
ORDER BY 1, 3

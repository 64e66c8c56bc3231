-- Returns the tables whose row security hides rows from a role that reads them. The role reads them
-- by name or through views. A view reads its tables as the view's owner, unless it is
-- security_invoker.
-- $1: an array of objects, one for each table or view, with these keys:
--   - schema: '' if the search path decides
--   - name: the table or view
--   - kind: "policy" or "report"
--   - of: the policy or report that reads it
-- $2: the search path
-- $3: the role
-- Columns of the result:
-- - kind, name: "policy" or "report", and its name
-- - table, table_sql: the table, also quoted as SQL
-- - views: the views through which it is read, '' if it is read by name
-- - role, role_sql: the role that reads it, also quoted as SQL
-- - forced: true if the role is the table's owner, and row security is forced on it
WITH RECURSIVE named AS (
    SELECT DISTINCT ON (w.schema, w.name) w.schema, w.name, c.oid
    FROM (SELECT DISTINCT u.schema, u.name FROM jsonb_to_recordset($1) AS u (schema text, name text)) w
    JOIN pg_class c ON c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'f')
    JOIN pg_namespace n ON n.oid = c.relnamespace
        AND n.nspname = ANY (CASE w.schema WHEN '' THEN $2 ELSE ARRAY[w.schema] END)
    ORDER BY w.schema, w.name, array_position($2::text[], n.nspname::text)
), read (schema, name, oid, role, views) AS (
    SELECT n.schema, n.name, n.oid, r.oid, NULL::text COLLATE "C"
    FROM named n JOIN pg_roles r ON r.rolname = $3
    UNION
    SELECT x.schema, x.name, d.refobjid,
           CASE WHEN EXISTS (SELECT FROM pg_options_to_table(v.reloptions) o
                             WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
                THEN me.oid ELSE v.relowner END,
           concat_ws(', ', x.views, vn.nspname || '.' || v.relname) COLLATE "C"
    FROM read x
    JOIN pg_class v ON v.oid = x.oid AND v.relkind = 'v'
    JOIN pg_namespace vn ON vn.oid = v.relnamespace
    JOIN pg_roles me ON me.rolname = $3
    JOIN pg_rewrite w ON w.ev_class = v.oid AND w.ev_type = '1'
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid
)
SELECT DISTINCT w.kind, w.of AS name, n.nspname || '.' || c.relname AS "table",
       format('%I.%I', n.nspname, c.relname) AS table_sql, coalesce(x.views, '') AS views, r.rolname::text AS role,
       quote_ident(r.rolname) AS role_sql, own.forced
FROM read x
JOIN jsonb_to_recordset($1) AS w (schema text, name text, kind text, of text) ON w.schema = x.schema AND w.name = x.name
JOIN pg_class c ON c.oid = x.oid AND c.relrowsecurity JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_roles r ON r.oid = x.role AND NOT r.rolsuper AND NOT r.rolbypassrls
CROSS JOIN LATERAL (SELECT c.relforcerowsecurity AND x.role = c.relowner) own (forced)
WHERE c.relforcerowsecurity OR NOT pg_has_role(x.role, c.relowner, 'USAGE')
ORDER BY 2, 3, 1

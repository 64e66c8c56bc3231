-- Findings on tables whose row security stands in the way of a role that reads, by name or through views. $1:
-- schemas and $2: names of tables or views, a schema of '' for one that is looked for along $3; $4: the role; $5: for each
-- policy or report that reads one the place of that from 1, $6: "policy" or "report", $7: its name. A view reads as its
-- owner, unless it is security_invoker.
WITH RECURSIVE named AS (
    SELECT DISTINCT ON (w.n) w.n, c.oid
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (schema_name, name, n)
    CROSS JOIN LATERAL (SELECT w.schema_name, 0 WHERE w.schema_name <> ''
                        UNION ALL
                        SELECT p.name, p.place::integer
                        FROM unnest($3::text[]) WITH ORDINALITY AS p (name, place) WHERE w.schema_name = '') s (name, place)
    JOIN pg_namespace n ON n.nspname = s.name
    JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.name AND c.relkind IN ('r', 'p', 'v', 'f')
    ORDER BY w.n, s.place
), read (n, oid, role, views) AS (
    SELECT n.n, n.oid, r.oid, NULL::text COLLATE "C"
    FROM named n JOIN pg_roles r ON r.rolname = $4
    UNION
    SELECT x.n, d.refobjid,
           CASE WHEN EXISTS (SELECT FROM pg_options_to_table(v.reloptions) o
                             WHERE o.option_name = 'security_invoker' AND o.option_value::boolean)
                THEN me.oid ELSE v.relowner END,
           concat_ws(', ', x.views, vn.nspname || '.' || v.relname) COLLATE "C"
    FROM read x
    JOIN pg_class v ON v.oid = x.oid AND v.relkind = 'v'
    JOIN pg_namespace vn ON vn.oid = v.relnamespace
    JOIN pg_roles me ON me.rolname = $4
    JOIN pg_rewrite w ON w.ev_class = v.oid AND w.ev_type = '1'
    JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                    AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> v.oid
)
SELECT DISTINCT w.name AS policy, n.nspname || '.' || c.relname AS object,
       format('row security of table "%s.%s" stops %s "%s"', n.nspname, c.relname, w.kind, w.name) AS message,
       format('Its functions read the table%s as role "%s", which row security is for: they fail (42501) instead of passing by rows that they cannot see.',
              ' through ' || x.views, r.rolname)
       || CASE WHEN own.forced THEN ' It is forced on the table''s owner, too.' ELSE '' END AS detail,
       CASE WHEN own.forced THEN format('ALTER TABLE %I.%I NO FORCE ROW LEVEL SECURITY; or ', n.nspname, c.relname) ELSE '' END
       || format('ALTER ROLE %I BYPASSRLS;', r.rolname) AS hint
FROM read x
JOIN unnest($5::integer[], $6::text[], $7::text[]) AS w (n, kind, name) ON w.n = x.n
JOIN pg_class c ON c.oid = x.oid AND c.relrowsecurity JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_roles r ON r.oid = x.role AND NOT r.rolsuper AND NOT r.rolbypassrls
CROSS JOIN LATERAL (SELECT c.relforcerowsecurity AND x.role = c.relowner) own (forced)
WHERE c.relforcerowsecurity OR NOT pg_has_role(x.role, c.relowner, 'USAGE')
ORDER BY 1, 2, 3

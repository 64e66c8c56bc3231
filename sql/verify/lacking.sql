-- Findings on what roles may not do with relations in the runtime's schema although they should. $1: the schema; $2:
-- relations in it, $3: a role for each, $4: a privilege; $5: the owner, of whom relations of another owner are no
-- business.
SELECT 1 AS place, x.role AS object, format('role "%s" lacks %s on %s', x.role, x.privileges, string_agg(x.name, ', ' ORDER BY x.name)) AS message,
       'What the role is for fails.' AS detail,
       format('GRANT %s ON %s TO %I;', x.privileges, string_agg(x.sql, ', ' ORDER BY x.name), x.role) AS hint
FROM (
    SELECT r.rolname::text AS role, n.nspname || '.' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS sql,
           string_agg(w.privilege, ', ' ORDER BY w.place) AS privileges
    FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS w (relation, role, privilege, place)
    JOIN pg_namespace n ON n.nspname = $1
    JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.relation AND c.relkind IN ('r', 'p', 'v')
    JOIN pg_roles r ON r.rolname = w.role
    WHERE NOT has_table_privilege(r.oid, c.oid, w.privilege) AND (w.role <> $5 OR c.relowner = r.oid)
    GROUP BY 1, 2, 3) x
GROUP BY x.role, x.privileges
ORDER BY 2, 3

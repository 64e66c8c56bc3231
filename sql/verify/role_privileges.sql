-- What roles may not do although they should. $1: kinds, "schema", "table" or "sequence"; $2: names, as SQL
-- takes them, with their schema; $3: the roles; $4: the privileges of each, with ", " between them. One row
-- per missing privilege: the place, the privilege.
SELECT w.n::integer, p.name
FROM (SELECT u.n, u.kind, u.role, u.privileges, parse_ident(u.name) AS parts
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS u (kind, name, role, privileges, n)) w
JOIN pg_roles r ON r.rolname = w.role
JOIN pg_namespace s ON s.nspname = w.parts[1]
LEFT JOIN pg_class c ON c.relnamespace = s.oid AND c.relname = w.parts[2]
CROSS JOIN unnest(string_to_array(w.privileges, ', ')) WITH ORDINALITY AS p (name, n)
WHERE CASE WHEN w.kind = 'schema' THEN NOT has_schema_privilege(r.oid, s.oid, p.name)
           WHEN w.kind = 'table' THEN NOT has_table_privilege(r.oid, c.oid, p.name)
           WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(r.oid, c.oid, p.name) END
ORDER BY w.n, p.n

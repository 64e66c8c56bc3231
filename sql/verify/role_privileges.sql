-- Returns the privileges that roles lack.
-- $1: an array of objects with these keys:
--   - kind: "schema", "table" or "sequence"
--   - on: the name as SQL, with its schema
--   - role: the role that needs the privileges
--   - needed: the privileges, separated by ", "
-- n: the position in $1
-- lacks: the privileges that the role lacks, separated by ", "
-- object: the object as GRANT names it
SELECT w.n::integer AS n, string_agg(p.name, ', ' ORDER BY p.n) AS lacks,
       CASE w.kind WHEN 'schema' THEN 'SCHEMA ' || quote_ident(s.nspname)
                   WHEN 'table' THEN format('%I.%I', s.nspname, c.relname) ELSE 'SEQUENCE ' || w.on END AS object
FROM (SELECT u.*, parse_ident(u.on) AS parts
      FROM ROWS FROM (jsonb_to_recordset($1) AS (kind text, "on" text, role text, needed text))
           WITH ORDINALITY AS u (kind, "on", role, needed, n)) w
JOIN pg_roles r ON r.rolname = w.role
JOIN pg_namespace s ON s.nspname = w.parts[1]
LEFT JOIN pg_class c ON c.relnamespace = s.oid AND c.relname = w.parts[2]
CROSS JOIN unnest(string_to_array(w.needed, ', ')) WITH ORDINALITY AS p (name, n)
WHERE CASE WHEN w.kind = 'schema' THEN NOT has_schema_privilege(r.oid, s.oid, p.name)
           WHEN w.kind = 'table' THEN NOT has_table_privilege(r.oid, c.oid, p.name)
           WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(r.oid, c.oid, p.name) END
GROUP BY w.n, w.kind, w.on, s.nspname, c.relname
ORDER BY w.n

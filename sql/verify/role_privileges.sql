-- Returns the privileges that roles lack.
-- $1: an array of objects with these keys:
--   - kind: "schema", "table" or "sequence"
--   - schema, name: the schema, and the table or sequence in it
--   - role: the role that needs the privileges
--   - privileges: an array
-- n: the position in $1
-- lacks: the privileges that the role lacks, separated by ", "
-- object: the object as GRANT names it
SELECT w.n::integer AS n, string_agg(p.name, ', ' ORDER BY p.n) AS lacks,
       CASE w.kind WHEN 'schema' THEN format('SCHEMA %I', w.schema)
                   WHEN 'table' THEN format('%I.%I', w.schema, c.relname)
                   ELSE format('SEQUENCE %I.%I', w.schema, w.name) END AS object
FROM ROWS FROM (jsonb_to_recordset($1) AS (kind text, schema text, name text, role text, privileges text[]))
     WITH ORDINALITY AS w (kind, schema, name, role, privileges, n)
JOIN pg_roles r ON r.rolname = w.role
JOIN pg_namespace s ON s.nspname = w.schema
LEFT JOIN pg_class c ON c.relnamespace = s.oid AND c.relname = w.name
CROSS JOIN unnest(w.privileges) WITH ORDINALITY AS p (name, n)
WHERE CASE WHEN w.kind = 'schema' THEN NOT has_schema_privilege(r.oid, s.oid, p.name)
           WHEN w.kind = 'table' THEN NOT has_table_privilege(r.oid, c.oid, p.name)
           WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(r.oid, c.oid, p.name) END
GROUP BY w.n, w.kind, w.schema, w.name, s.nspname, c.relname
ORDER BY w.n

-- Findings on privileges that roles lack.
-- $1: an array of objects with these keys:
--   - kind: "schema", "table" or "sequence"
--   - name: the object
--   - on: the name as SQL, with its schema
--   - role: the role that needs the privileges
--   - needed: the privileges, separated by ", "
-- $2: owner, worker, runner, operator and viewer, in this order
SELECT w.n::integer AS place, CASE w.kind WHEN 'sequence' THEN w.name ELSE '' END AS object,
       format('role "%s" lacks %s on %s "%s"', w.role, string_agg(p.name, ', ' ORDER BY p.n), w.kind,
           w.name) AS message,
       CASE w.role WHEN ($2::text[])[1] THEN 'Runs of the policies that need it fail.'
                   WHEN ($2::text[])[2] THEN 'Runs of the policies that need it fail.'
                   WHEN ($2::text[])[3] THEN 'No scheduled run can begin.'
                   WHEN ($2::text[])[4] THEN 'Its members can neither run nor pause a policy.'
                   WHEN ($2::text[])[5] THEN 'Its members can read no view, and cannot verify.'
                   ELSE 'It cannot call the functions that the policy file grants to it.' END AS detail,
       format('GRANT %s ON %s%s TO %I;', w.needed, CASE w.kind WHEN 'table' THEN '' ELSE upper(w.kind) || ' ' END,
              CASE w.kind WHEN 'schema' THEN quote_ident(w.name) WHEN 'table'
                  THEN format('%I.%I', s.nspname, c.relname) ELSE w.on END,
              w.role) AS hint
FROM (SELECT u.*, parse_ident(u.on) AS parts
      FROM ROWS FROM (jsonb_to_recordset($1) AS (kind text, name text, "on" text, role text, needed text))
           WITH ORDINALITY AS u (kind, name, "on", role, needed, n)) w
JOIN pg_roles r ON r.rolname = w.role
JOIN pg_namespace s ON s.nspname = w.parts[1]
LEFT JOIN pg_class c ON c.relnamespace = s.oid AND c.relname = w.parts[2]
CROSS JOIN unnest(string_to_array(w.needed, ', ')) WITH ORDINALITY AS p (name, n)
WHERE CASE WHEN w.kind = 'schema' THEN NOT has_schema_privilege(r.oid, s.oid, p.name)
           WHEN w.kind = 'table' THEN NOT has_table_privilege(r.oid, c.oid, p.name)
           WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(r.oid, c.oid, p.name) END
GROUP BY w.n, w.kind, w.name, w.on, w.role, w.needed, s.nspname, c.relname
ORDER BY w.n

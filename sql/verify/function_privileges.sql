-- Findings on functions that a role may not call, although an expression of a policy or report
-- calls them.
-- $1: the role
-- $2: the calls, an array of objects with these keys:
--   - schema: '' if the search path decides
--   - function: its name
--   - arguments: how many arguments the call has
--   - kind: "policy" or "report"
--   - name: the policy or report whose expression calls the function
-- $3: the search path
-- $4: objects that other findings report
-- If several functions have the name and take that many arguments, the call may mean one that the
-- role may call. The query then returns a finding only if _plans() reports that the role lacks a
-- privilege on the function.
SELECT f.n::integer AS place, f.signature AS object,
       format('role "%s" lacks %s, which %s "%s" calls', $1::text, m.missing, f.kind, f.name) AS message,
       'Its runs fail.' AS detail, m.hint
FROM (SELECT w.*, s.nspname, format('%I.%I(%s)', s.nspname, p.proname,
    pg_get_function_identity_arguments(p.oid)) AS signature,
             u.usage, has_function_privilege(r.oid, p.oid, 'EXECUTE') AS execute,
             bool_or(u.usage AND has_function_privilege(r.oid, p.oid, 'EXECUTE')) OVER (PARTITION BY w.n) AS one_will
      FROM ROWS FROM (jsonb_to_recordset($2) AS (schema text, function text, arguments integer, kind text, name text))
               WITH ORDINALITY AS w (schema, function, arguments, kind, name, n)
      JOIN pg_roles r ON r.rolname = $1
      JOIN pg_proc p ON p.proname = w.function AND w.arguments >= p.pronargs - p.pronargdefaults
                        AND (w.arguments <= p.pronargs OR p.provariadic <> 0)
      JOIN pg_namespace s ON s.oid = p.pronamespace
                             AND (s.nspname = w.schema OR w.schema = ''
                                 AND s.nspname = ANY (array_prepend('pg_catalog', $3::text[])))
      CROSS JOIN LATERAL (SELECT has_schema_privilege(r.oid, s.oid, 'USAGE')) u (usage)) f
CROSS JOIN LATERAL (
    SELECT string_agg(x.what, ' and '), string_agg(format('GRANT %s TO %I;', x.sql, $1::text), ' ')
    FROM (VALUES (NOT f.usage AND 'schema ' || f.nspname <> ALL ($4::text[]),
                  format('USAGE on schema "%s"', f.nspname), format('USAGE ON SCHEMA %I', f.nspname)),
                 (NOT f.execute, format('EXECUTE on function "%s"', f.signature), 'EXECUTE ON FUNCTION '
                     || f.signature)) x (lacks, what, sql)
    WHERE x.lacks) m (missing, hint)
WHERE m.missing IS NOT NULL
  AND (NOT f.one_will OR NOT (f.usage AND f.execute) AND EXISTS (
           SELECT FROM retention._plans(ARRAY[f.name], true) p WHERE p.code = '42501'
               AND strpos(p.message, f.function) > 0))
ORDER BY f.n, f.signature

-- Returns functions that a role may not call, although an expression of a policy or report calls
-- them.
-- $1: the role
-- $2: the calls, an array of objects with these keys:
--   - schema: '' if the search path decides
--   - function: its name
--   - arguments: how many arguments the call has
--   - kind: "policy" or "report"
--   - name: the policy or report whose expression calls the function
-- $3: the search path
-- $4: objects that other findings report
-- n: the position of the call in $2
-- function: its name as SQL, with its schema and its arguments
-- lacks_usage, lacks_execute: what the role lacks. One of the two is true. A missing USAGE that
--   another finding reports is left out.
-- If several functions have the name and take that many arguments, the call may mean one that the
-- role may call. The query then returns a finding only if _plans() reports that the role lacks a
-- privilege on the function.
SELECT f.n::integer AS n, f.signature AS function, f.nspname::text AS schema, m.usage AS lacks_usage,
       NOT f.execute AS lacks_execute
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
CROSS JOIN LATERAL (SELECT NOT f.usage AND 'schema ' || f.nspname <> ALL ($4::text[])) m (usage)
WHERE (m.usage OR NOT f.execute)
  AND (NOT f.one_will OR NOT (f.usage AND f.execute) AND EXISTS (
           SELECT FROM retention._plans(ARRAY[f.name], true) p WHERE p.code = '42501'
               AND strpos(p.message, f.function) > 0))
ORDER BY f.n, f.signature

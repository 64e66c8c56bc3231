-- Findings on functions that a role may not call although expressions call them. $1: the role; $2: schemas, "" where the
-- search path says which; $3: names; $4: how many arguments; $5: "policy" or "report" and $6: its name; $7: the search path;
-- $8: objects for which it lacks a right as is known. Where the role may call another one that takes as many
-- arguments, the types say which is meant, and whoever plans the policy's batches learns it.
SELECT f.n::integer AS place, f.signature AS object,
       format('role "%s" lacks %s, which %s "%s" calls', $1::text, m.missing, f.kind, f.name) AS message,
       'Its runs fail.' AS detail, m.hint
FROM (SELECT w.*, s.nspname, format('%I.%I(%s)', s.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS signature,
             u.usage, has_function_privilege(r.oid, p.oid, 'EXECUTE') AS execute,
             bool_or(u.usage AND has_function_privilege(r.oid, p.oid, 'EXECUTE')) OVER (PARTITION BY w.n) AS one_will
      FROM unnest($2::text[], $3::text[], $4::integer[], $5::text[], $6::text[]) WITH ORDINALITY
               AS w (schema, function, arguments, kind, name, n)
      JOIN pg_roles r ON r.rolname = $1
      JOIN pg_proc p ON p.proname = w.function AND w.arguments >= p.pronargs - p.pronargdefaults
                        AND (w.arguments <= p.pronargs OR p.provariadic <> 0)
      JOIN pg_namespace s ON s.oid = p.pronamespace
                             AND (s.nspname = w.schema OR w.schema = '' AND s.nspname = ANY (array_prepend('pg_catalog', $7::text[])))
      CROSS JOIN LATERAL (SELECT has_schema_privilege(r.oid, s.oid, 'USAGE')) u (usage)) f
CROSS JOIN LATERAL (
    SELECT string_agg(x.what, ' and '), string_agg(format('GRANT %s TO %I;', x.sql, $1::text), ' ')
    FROM (VALUES (NOT f.usage AND 'schema ' || f.nspname <> ALL ($8::text[]),
                  format('USAGE on schema "%s"', f.nspname), format('USAGE ON SCHEMA %I', f.nspname)),
                 (NOT f.execute, format('EXECUTE on function "%s"', f.signature), 'EXECUTE ON FUNCTION ' || f.signature)) x (lacks, what, sql)
    WHERE x.lacks) m (missing, hint)
WHERE m.missing IS NOT NULL
  AND (NOT f.one_will OR NOT (f.usage AND f.execute) AND EXISTS (
           SELECT FROM retention._plans(ARRAY[f.name], true) p WHERE p.code = '42501' AND strpos(p.message, f.function) > 0))
ORDER BY f.n, f.signature

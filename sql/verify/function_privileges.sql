-- Functions that a role may not call although expressions call them. $1: the role; $2: schemas, "" where the
-- search path says which; $3: names; $4: how many arguments; $5: the search path. One row per function of
-- these: the place, the schema, the function as GRANT takes it, whether the schema lets the role in, whether
-- the function does, and whether another that takes as many arguments can be called: which one is meant, the
-- types say.
SELECT f.n::integer, f.schema, f.signature, f.usage, f.execute, f.one_will
FROM (SELECT w.n, s.nspname::text AS schema, p.oid,
             format('%I.%I(%s)', s.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS signature,
             has_schema_privilege(r.oid, s.oid, 'USAGE') AS usage,
             has_function_privilege(r.oid, p.oid, 'EXECUTE') AS execute,
             bool_or(has_schema_privilege(r.oid, s.oid, 'USAGE') AND has_function_privilege(r.oid, p.oid, 'EXECUTE'))
                 OVER (PARTITION BY w.n) AS one_will
      FROM unnest($2::text[], $3::text[], $4::integer[]) WITH ORDINALITY AS w (schema, name, arguments, n)
      JOIN pg_roles r ON r.rolname = $1
      JOIN pg_proc p ON p.proname = w.name AND w.arguments >= p.pronargs - p.pronargdefaults
                        AND (w.arguments <= p.pronargs OR p.provariadic <> 0)
      JOIN pg_namespace s ON s.oid = p.pronamespace
                             AND (s.nspname = w.schema OR w.schema = '' AND s.nspname = ANY (array_prepend('pg_catalog', $5::text[])))) f
WHERE NOT (f.usage AND f.execute)
ORDER BY f.n, f.oid

-- Functions and procedures. $1: the runtime's schema; $2: those wanted, as a JSON array of name, types of the
-- input arguments, and table of the policy, as schema.table, or ''. One row per wanted one (n: its place from 1),
-- found or not, and one with n = 0 per other one in the schema, which alone has its name, for people and as SQL
-- writes it. Types are printed, not looked up, where that is enough: it needs no USAGE on their schemas. A routine
-- that was found and has NULL for its name in SQL, or its parameters, vanished while it was looked at. Privileges
-- are "grantee=privilege", with a star where it may be granted on; the grantee of PUBLIC is empty.
WITH asked AS (
    SELECT w.ordinality::integer AS n, w.value ->> 'name' AS name, w.value ->> 'table' AS "table", w.value -> 'arguments' AS types
    FROM jsonb_array_elements($2) WITH ORDINALITY w
), known AS ( -- each list of types is looked up once
    SELECT t.types, ARRAY(SELECT to_regtype(a.value)::oid
                          FROM jsonb_array_elements_text(t.types) WITH ORDINALITY a
                          ORDER BY a.ordinality) AS arguments
    FROM (SELECT DISTINCT types FROM asked) t
), wanted AS (
    SELECT a.n, a.name, a."table", k.arguments FROM asked a JOIN known k ON k.types = a.types
), live AS (
    SELECT p.oid, p.proname::text AS name, ARRAY(SELECT unnest(p.proargtypes)) AS arguments,
           p.proretset AS set, p.proisstrict AS strict, p.proleakproof AS leakproof,
           CASE p.proparallel WHEN 's' THEN 'safe' WHEN 'r' THEN 'restricted' ELSE 'unsafe' END AS parallel,
           p.procost AS cost, p.prorows AS rows,
           CASE WHEN p.prosupport <> 0 THEN p.prosupport::text ELSE '' END AS support,
           p.prokind::text AS kind, l.lanname::text AS language, p.prosrc AS body,
           p.prosecdef AS definer,
           CASE p.provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END AS volatility,
           coalesce(p.proconfig, '{}') AS settings, pg_get_userbyid(p.proowner)::text AS owner,
           ARRAY(SELECT coalesce(CASE WHEN x.grantee <> 0 THEN pg_get_userbyid(x.grantee)::text END, '')
                        || '=' || x.privilege_type || CASE WHEN x.is_grantable THEN '*' ELSE '' END
                 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
                 ORDER BY 1) AS privileges
    FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace
    JOIN pg_language l ON l.oid = p.prolang
    WHERE n.nspname = $1
)
SELECT coalesce(w.n, 0), l.oid IS NOT NULL,
       CASE WHEN w.n IS NULL THEN concat(l.name, '(', pg_get_function_identity_arguments(l.oid), ')') ELSE '' END,
       CASE WHEN w.n IS NULL
            THEN quote_ident($1) || '.' || quote_ident(l.name) || '(' || pg_get_function_identity_arguments(l.oid) || ')' END,
       coalesce(l.kind, ''), coalesce(l.language, ''), coalesce(l.body, ''),
       coalesce(l.definer, false), coalesce(l.volatility, ''), coalesce(l.settings, '{}'),
       coalesce(l.owner, ''), coalesce(l.privileges, '{}'),
       coalesce(l.strict, false), coalesce(l.leakproof, false), coalesce(l.parallel, ''), coalesce(l.cost, 0),
       coalesce(l.rows, 0), coalesce(l.support, ''), coalesce(l.set, false),
       coalesce(w."table" <> ''
                AND w."table" NOT IN (SELECT s.nspname || '.' || c.relname
                                      FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace), false),
       pg_get_function_arguments(l.oid), coalesce(pg_get_function_result(l.oid), '')
FROM wanted w
FULL JOIN live l ON l.name COLLATE "C" = w.name COLLATE "C" AND l.arguments = w.arguments
ORDER BY 1, 3

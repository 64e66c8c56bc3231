-- The install's roles. $1: names. One row per name: whether there is such a role, whether it can
-- log in, whether it is a superuser, and whether it may connect here.
SELECT w.name, r.oid IS NOT NULL, coalesce(r.rolcanlogin, false), coalesce(r.rolsuper, false),
       coalesce(has_database_privilege(r.oid, current_database(), 'CONNECT'), false)
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
LEFT JOIN pg_roles r ON r.rolname = w.name
ORDER BY w.n

-- The install's roles. $1: names. One row per name: whether there is such a role, whether it can
-- log in, whether it is a superuser, whether it may connect here, whether no session of it may, or none of the database,
-- and whether $2 has its privileges.
SELECT w.name, r.oid IS NOT NULL, coalesce(r.rolcanlogin, false), coalesce(r.rolsuper, false),
       coalesce(has_database_privilege(r.oid, current_database(), 'CONNECT'), false),
       coalesce(r.rolconnlimit = 0, false), (SELECT d.datconnlimit = 0 FROM pg_database d WHERE d.datname = current_database()),
       coalesce((SELECT pg_has_role(o.oid, r.oid, 'USAGE') FROM pg_roles o WHERE o.rolname = $2), false)
FROM unnest($1::text[]) WITH ORDINALITY AS w (name, n)
LEFT JOIN pg_roles r ON r.rolname = w.name
ORDER BY w.n

-- Returns the roles of the install, with what they can do in this database.
-- $1: the owner
-- $2: all roles of the install
-- there: the role exists. Otherwise the next columns are false.
-- no_sessions: the CONNECTION LIMIT of the role is 0
-- inherited: the owner has the privileges of the role
-- closed: the CONNECTION LIMIT of the database is 0
-- cron: the database has table cron.job
SELECT w.name, r.oid IS NOT NULL AS there, coalesce(r.rolcanlogin, false) AS can_login,
       coalesce(r.rolsuper, false) AS superuser,
       coalesce(has_database_privilege(r.oid, current_database(), 'CONNECT'), false) AS can_connect,
       coalesce(r.rolconnlimit = 0, false) AS no_sessions,
       coalesce(pg_has_role(o.oid, r.oid, 'USAGE'), false) AS inherited, d.datconnlimit = 0 AS closed,
       EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = to_regnamespace('cron') AND c.relname = 'job') AS cron
FROM unnest($2::text[]) AS w (name)
JOIN pg_database d ON d.datname = current_database()
LEFT JOIN pg_roles r ON r.rolname = w.name
LEFT JOIN pg_roles o ON o.rolname = $1::text
ORDER BY 1

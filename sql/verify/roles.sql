-- Findings on faults of the install's roles. $1: their names; $2: the owner, the worker and the runner among them, ''
-- where that is not to be looked at: an owner that is another role as well, a runner that pg_cron does not run jobs as;
-- $3: the owner.
WITH role AS (
    SELECT w.name, r.oid IS NOT NULL AS found, coalesce(r.rolcanlogin, false) AS login, coalesce(r.rolsuper, false) AS super,
           coalesce(has_database_privilege(r.oid, d.oid, 'CONNECT'), false) AS connect,
           coalesce(r.rolconnlimit = 0, false) AS no_sessions, d.datconnlimit = 0 AS shut, d.datname AS database,
           coalesce((SELECT pg_has_role(o.oid, r.oid, 'USAGE') FROM pg_roles o WHERE o.rolname = $3), false) AS inherited,
           w.name = ($2::text[])[1] AS owner, w.name = ($2::text[])[2] AS worker, w.name = ($2::text[])[3] AS runner
    FROM unnest($1::text[]) AS w (name)
    JOIN pg_database d ON d.datname = current_database()
    LEFT JOIN pg_roles r ON r.rolname = w.name
)
SELECT 1 AS place, r.name AS object, format('role "%s" %s', r.name, f.fault) AS message, f.hint
FROM role r
CROSS JOIN LATERAL (VALUES
    (NOT r.found, 'does not exist', 'pgretain bootstrap | psql -X -v ON_ERROR_STOP=1'),
    (r.found AND r.worker AND NOT r.inherited, format('does not pass its privileges on to "%s"', $3::text),
     format('GRANT %I TO %I;', r.name, $3::text)),
    ((r.owner OR r.worker) AND r.login, 'can log in', format('ALTER ROLE %I NOLOGIN;', r.name)),
    (r.found AND r.runner AND NOT r.login, 'cannot log in, so that pg_cron cannot run its jobs', format('ALTER ROLE %I LOGIN;', r.name)),
    (r.found AND r.runner AND NOT r.connect, format('has no CONNECT on database "%s"', r.database),
     format('GRANT CONNECT ON DATABASE %I TO %I;', r.database, r.name)),
    (r.runner AND NOT r.super AND r.no_sessions, 'may have no session: its CONNECTION LIMIT is 0',
     format('ALTER ROLE %I CONNECTION LIMIT -1;', r.name)),
    (r.found AND r.runner AND NOT r.super AND r.shut, format('cannot connect: the CONNECTION LIMIT of database "%s" is 0', r.database),
     format('ALTER DATABASE %I CONNECTION LIMIT -1;', r.database)),
    (r.super, 'is a superuser', format('ALTER ROLE %I NOSUPERUSER;', r.name))
) f (wrong, fault, hint)
WHERE f.wrong
ORDER BY 2, 3

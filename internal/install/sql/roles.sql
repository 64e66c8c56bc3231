-- Returns the faults of the roles that prevent a migration.
-- Parameters: $1 roles, $2 owner, $3 worker, $4 runner, $5 whether pg_cron connects as the runner.
-- Columns of the result:
-- - fault:
--   - "missing": the roles do not exist. A superuser creates them.
--   - "owner": the owner is not a member of the role, the worker, with all of its privileges
--   - "set role": the session cannot become the role
--   - "inherit": the session does not inherit the privileges of the role, the owner
--   - "login", "connect": the role, the runner, cannot log in, or not in this database
-- - roles
-- - user, database: of the session
WITH wanted AS (
    SELECT w.place, w.name, r.oid, r.rolcanlogin AS login, s.become,
           pg_has_role(r.oid, s.become) AS member,
           (SELECT pg_has_role(o.oid, r.oid, s.become) AND pg_has_role(o.oid, r.oid, 'USAGE')
            FROM pg_catalog.pg_roles o WHERE o.rolname = $2) AS owners
    FROM unnest($1::text[]) WITH ORDINALITY AS w (name, place)
    LEFT JOIN pg_catalog.pg_roles r ON r.rolname = w.name
    -- The privilege that allows SET ROLE. https://www.postgresql.org/docs/16/release-16.html#RELEASE-16-PRIVILEGES
    CROSS JOIN (SELECT CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END)
         AS s (become)
)
SELECT f.fault, f.roles, current_user::text AS "user", current_database()::text AS database
FROM (
    SELECT 0, 0, 'missing', array_agg(name ORDER BY place)
    FROM wanted WHERE oid IS NULL AND NOT current_setting('is_superuser')::boolean
    UNION ALL
    SELECT w.place, r.part, r.fault, ARRAY[w.name]
    FROM wanted w
    CROSS JOIN LATERAL (VALUES
        (1, 'owner', w.name = $3 AND NOT w.owners),
        (2, 'set role', w.name IN ($2, $4) AND NOT w.member),
        (3, 'inherit', w.name = $2 AND w.member AND NOT pg_has_role(w.oid, 'USAGE')),
        (4, 'login', w.name = $4 AND $5 AND NOT w.login),
        (5, 'connect', w.name = $4 AND $5 AND NOT has_database_privilege(w.oid, current_database(), 'CONNECT'))
    ) AS r (part, fault, wrong)
    WHERE r.wrong
) AS f (place, part, fault, roles)
WHERE f.roles IS NOT NULL
ORDER BY f.place, f.part;

-- Returns message, detail and hint of each fault of the roles that prevents a migration.
-- Parameters: $1 roles, $2 owner, $3 worker, $4 runner, $5 whether pg_cron connects as the runner,
-- $6 hint.
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
SELECT f.message, f.detail, $6::text AS hint
FROM (
    SELECT 0, 0, 'roles do not exist: ' || string_agg(format('"%s"', name), ', ' ORDER BY place), ''
    FROM wanted WHERE oid IS NULL AND NOT current_setting('is_superuser')::boolean -- a superuser creates them
    UNION ALL
    SELECT w.place, r.part, r.message, r.detail
    FROM wanted w
    CROSS JOIN (VALUES ('Objects are created as the owner and jobs are scheduled as the runner.',
                        'pg_cron logs in as the runner.')) AS t (become, login)
    CROSS JOIN LATERAL (VALUES
        (1, w.name = $3 AND NOT w.owners,
            format('role "%s" is not a member of "%s", with all of its privileges', $2::text, w.name),
            'The owner makes functions for the worker, and hands them over.'),
        (2, w.name IN ($2, $4) AND NOT w.member,
            format('role "%s" cannot SET ROLE "%s"', current_user, w.name), t.become),
        (3, w.name = $2 AND w.member AND NOT pg_has_role(w.oid, 'USAGE'),
            format('role "%s" does not inherit the privileges of "%s"', current_user, w.name), t.become),
        (4, w.name = $4 AND $5 AND NOT w.login,
            format('role "%s" cannot log in', w.name), t.login),
        (5, w.name = $4 AND $5 AND NOT has_database_privilege(w.oid, current_database(), 'CONNECT'),
            format('role "%s" has no CONNECT on database "%s"', w.name, current_database()), t.login)
    ) AS r (part, wrong, message, detail)
    WHERE r.wrong
) AS f (place, part, message, detail)
WHERE f.message IS NOT NULL
ORDER BY f.place, f.part;

-- Findings on the roles of the install. V072: a role has wrong attributes. V079: a role has
-- privileges that pgretain does not need, or another role can become the owner. V077: a role may
-- change rows of policies by hand. V070: PUBLIC has privileges on the schema.
-- $1: a JSON object with these keys. With "roles: none" it has only the key schema.
--   - schema: the runtime's schema
--   - owner, worker, runner: these roles
--   - others: runner, operator and viewer, except the one that is the owner
--   - named: all roles of the install
--   - shared: true if the owner is another of these roles as well
--   - cron: true if pg_cron calls the jobs
--   - cron_here: true if it is expected in this database. V040 reports that it is missing, so the
--     runner need not be able to log in.
--   - tables: tables of policies, of their archives, and other tables that policies change, as
--     schema.table
WITH given AS MATERIALIZED (
    SELECT g.*, o.oid AS owner_oid, u.oid AS runner_oid
    FROM jsonb_to_record($1) AS g (schema text, owner text, worker text, runner text, others text[], named text[],
                                   shared boolean, cron boolean, cron_here boolean, tables text[])
    LEFT JOIN pg_roles o ON o.rolname = g.owner LEFT JOIN pg_roles u ON u.rolname = g.runner
), role AS (
    SELECT w.name, r.oid IS NOT NULL AS found, coalesce(r.rolcanlogin, false) AS login,
        coalesce(r.rolsuper, false) AS super,
           coalesce(has_database_privilege(r.oid, d.oid, 'CONNECT'), false) AS connect,
           coalesce(r.rolconnlimit = 0, false) AS no_sessions, d.datconnlimit = 0 AS shut, d.datname AS database,
           coalesce(pg_has_role(g.owner_oid, r.oid, 'USAGE'), false) AS inherited,
           w.name = g.owner AND NOT g.shared AS owner, w.name = g.worker AS worker, w.name = g.runner AS runner,
               g.cron, g.owner AS of, g.cron_here AND NOT EXISTS (
                   SELECT FROM pg_class c WHERE c.relnamespace = to_regnamespace('cron') AND c.relname = 'job') AS no_cron
    FROM given g CROSS JOIN unnest(g.named) AS w (name)
    JOIN pg_database d ON d.datname = current_database()
    LEFT JOIN pg_roles r ON r.rolname = w.name
), taken AS MATERIALIZED (
    SELECT c.oid, n.nspname || '.' || c.relname AS name, c.relowner, c.relacl
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname IN (SELECT unnest(g.tables) FROM given g) AND c.relkind IN ('r', 'p')
), hands AS (
    -- The role '' is PUBLIC. A privilege of PUBLIC is not repeated for each role. Roles with
    -- pg_write_all_data have a finding of their own.
    SELECT coalesce(r.rolname::text, '') AS role, coalesce(c.relowner = r.oid, false) AS owns, c.name,
           string_agg(p.name, ', ' ORDER BY p.n) AS rights
    FROM given g CROSS JOIN taken c
    CROSS JOIN unnest('{UPDATE,DELETE,TRUNCATE}'::text[]) WITH ORDINALITY AS p (name, n)
    CROSS JOIN LATERAL (
        SELECT coalesce(bool_or(a.grantee = 0 AND a.privilege_type = p.name), false) AS open
        FROM (SELECT t.grantee, t.privilege_type FROM aclexplode(c.relacl) t
              UNION ALL
              SELECT e.grantee, e.privilege_type
              FROM pg_attribute l CROSS JOIN LATERAL aclexplode(l.attacl) e
              WHERE l.attrelid = c.oid AND NOT l.attisdropped) a) everybody
    LEFT JOIN pg_roles r
           ON NOT everybody.open AND r.rolname = ANY (g.others) AND NOT r.rolsuper
          AND NOT pg_has_role(r.oid, 'pg_write_all_data', 'USAGE')
              AND pg_has_role(r.oid, g.owner_oid, 'MEMBER') IS NOT TRUE
          AND CASE p.name WHEN 'UPDATE' THEN has_any_column_privilege(r.oid, c.oid, p.name)
                   ELSE has_table_privilege(r.oid, c.oid, p.name) END
    WHERE everybody.open OR r.oid IS NOT NULL
    GROUP BY 1, 2, 3
)
SELECT 1 AS place, 'V072' AS code, '' AS severity, r.name AS object, format('role "%s" %s', r.name, f.fault) AS message,
       '' AS detail, f.hint
FROM role r
CROSS JOIN LATERAL (VALUES
    (NOT r.found, 'does not exist', 'pgretain bootstrap | psql -X -v ON_ERROR_STOP=1'),
    (r.found AND r.worker AND NOT r.inherited, format('does not pass its privileges on to "%s"', r.of),
     format('GRANT %I TO %I;', r.name, r.of)),
    ((r.owner OR r.worker) AND r.login, 'can log in', format('ALTER ROLE %I NOLOGIN;', r.name)),
    (r.found AND r.runner AND NOT r.login AND r.no_cron IS NOT TRUE,
     format('cannot log in, so that %s cannot run its jobs', CASE WHEN r.cron THEN 'pg_cron' ELSE 'a scheduler' END),
     format('ALTER ROLE %I LOGIN;', r.name)),
    (r.found AND r.runner AND NOT r.connect, format('has no CONNECT on database "%s"', r.database),
     format('GRANT CONNECT ON DATABASE %I TO %I;', r.database, r.name)),
    (r.runner AND NOT r.super AND r.no_sessions, 'may have no session: its CONNECTION LIMIT is 0',
     format('ALTER ROLE %I CONNECTION LIMIT -1;', r.name)),
    (r.found AND r.runner AND NOT r.super AND r.shut,
        format('cannot connect: the CONNECTION LIMIT of database "%s" is 0', r.database),
     format('ALTER DATABASE %I CONNECTION LIMIT -1;', r.database)),
    (r.super, 'is a superuser', format('ALTER ROLE %I NOSUPERUSER;', r.name))
) f (wrong, fault, hint)
WHERE f.wrong
-- The finding is drift if the role can use the attribute or membership to change rows that only
-- runs should change. Superusers have a finding of their own.
UNION ALL
SELECT 1, 'V079', CASE WHEN f.changes THEN 'drift' ELSE 'info' END, r.rolname,
       format('role "%s" %s', r.rolname, coalesce('has ' || f.attribute, format('is a member of "%s"', f.member_of))),
       'Nothing of pgretain needs it.'
       || CASE WHEN f.changes THEN ' With it the role can change rows by hand, past holds, guards and run log.'
           ELSE '' END,
       coalesce(format('ALTER ROLE %I ', r.rolname) || 'NO' || f.attribute || ';',
           format('REVOKE %I FROM %I;', f.member_of, r.rolname))
FROM given g JOIN pg_roles r ON r.rolname = ANY (g.others || g.owner || g.worker) AND NOT r.rolsuper
CROSS JOIN LATERAL (
    VALUES (r.rolcreaterole, current_setting('server_version_num')::integer < 160000, 'CREATEROLE', NULL),
           (r.rolreplication, false, 'REPLICATION', NULL),
           (r.rolbypassrls AND r.rolname NOT IN (g.owner, g.worker), false, 'BYPASSRLS', NULL),
           (r.oid <> g.owner_oid AND pg_has_role(r.oid, g.owner_oid, 'MEMBER'), true, NULL, g.owner)
    UNION ALL
    SELECT pg_has_role(r.oid, p.oid, 'MEMBER'), p.rolname <> 'pg_read_server_files', NULL, p.rolname::text
    FROM pg_roles p
    WHERE p.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files',
        'pg_read_server_files')
) f (found, changes, attribute, member_of)
WHERE f.found
-- Owners of tables of policies, and members of the runner, are trusted and left out.
UNION ALL
SELECT 1, 'V079', 'info', g.owner, format('%s can become "%s"',
    string_agg(format('"%s"', r.rolname), ', ' ORDER BY r.rolname), g.owner),
       'They can delete by hand and change the run log. They neither own a table of a policy nor are members of the runner, '
       'as a role that migrates is.', ''
FROM given g JOIN pg_roles r ON r.oid <> g.owner_oid AND r.rolcanlogin AND NOT r.rolsuper
    AND r.rolname <> ALL (g.others)
WHERE pg_has_role(r.oid, g.owner_oid, 'MEMBER') AND pg_has_role(r.oid, g.runner_oid, 'MEMBER') IS NOT TRUE
  AND NOT EXISTS (SELECT FROM taken c WHERE pg_has_role(r.oid, c.relowner, 'MEMBER'))
GROUP BY g.owner
-- A privilege on one column is enough. The finding is information for PUBLIC and for the owner of
-- the table, because the application or the install chose this.
UNION ALL
SELECT 1, 'V077', CASE WHEN y.role = '' OR y.owns THEN 'info' ELSE 'drift' END, coalesce(nullif(y.role, ''), 'PUBLIC'),
       CASE WHEN y.role = '' THEN format('PUBLIC has %s on %s', y.rights, y.tables)
            WHEN y.owns THEN format('role "%s" owns %s', y.role, y.tables)
            ELSE format('role "%s" has %s on %s', y.role, y.rights, y.tables) END,
       CASE y.role WHEN '' THEN 'Everybody' ELSE 'It' END
       || ' can delete or change rows by hand, past holds, guards, breaker and run log.',
       CASE WHEN y.role = '' THEN format('Revoke %s on these tables from PUBLIC, unless the application needs it.',
           y.rights)
            WHEN y.owns THEN ''
            ELSE format('Revoke %s on these tables from "%s", or end the membership that gives it.', y.rights,
                y.role) END
FROM (SELECT h.role, h.owns, h.rights, array_to_string((array_agg(h.name ORDER BY h.name))[1:5], ', ')
             || CASE WHEN count(*) > 5 THEN format(', %s more', count(*) - 5) ELSE '' END AS tables
      FROM hands h GROUP BY 1, 2, 3) y
UNION ALL
SELECT 1, 'V070', '', n.nspname, format('PUBLIC has %s on schema "%s"', x.privilege_type, n.nspname), '',
       format('REVOKE %s ON SCHEMA %I FROM PUBLIC;', x.privilege_type, n.nspname)
FROM given g JOIN pg_namespace n ON n.nspname = g.schema, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
WHERE x.grantee = 0
ORDER BY 2, 4, 5

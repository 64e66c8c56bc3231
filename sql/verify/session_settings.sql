-- Findings on settings of the runner's sessions that take effect before a function of the runtime
-- is called. The runtime cannot set them itself.
-- $1: the role
-- $2: names of settings
-- $3: how long a job may take, in milliseconds
-- $4: the job that may take so long
-- For a timeout, the call of a job is one statement, and each batch is one transaction.
-- The hint resets a setting that is set for the role. A setting of the database, of all roles or of
-- the server also applies to the application. The hint then sets it for this role in this database
-- only.
WITH setting AS (
    SELECT DISTINCT ON (s.name) s.name, s.value,
           CASE WHEN s.value ~ '^\d+$' THEN s.value::float8
                WHEN s.value ~ '^ *\d+(\.\d+)? *(us|ms|s|min|h|d) *$'
                THEN 1000 * extract(epoch FROM s.value::interval)::float8 END AS ms,
           CASE WHEN s.place <= 2 THEN format('%s RESET %I;', s.reset, s.name)
                ELSE format('ALTER ROLE %I IN DATABASE %I SET %I = %s;', $1::text, current_database(), s.name,
                            CASE s.name WHEN 'session_replication_role' THEN 'origin' WHEN 'exit_on_error' THEN 'off'
                                ELSE '0' END)
                END AS reset
    FROM (SELECT split_part(c, '=', 1) AS name, split_part(c, '=', 2) AS value,
                 CASE WHEN d.setrole = 0 AND d.setdatabase = 0 THEN 'ALTER ROLE ALL'
                      WHEN d.setrole = 0 THEN format('ALTER DATABASE %I', current_database())
                      WHEN d.setdatabase = 0 THEN format('ALTER ROLE %I', $1::text)
                      ELSE format('ALTER ROLE %I IN DATABASE %I', $1::text, current_database()) END AS reset,
                 CASE WHEN d.setdatabase <> 0 AND d.setrole <> 0 THEN 1 WHEN d.setrole <> 0 THEN 2
                      WHEN d.setdatabase <> 0 THEN 3 ELSE 4 END AS place  -- the smallest place takes precedence
          FROM pg_db_role_setting d CROSS JOIN unnest(d.setconfig) AS c
          WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            AND d.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = $1::text))
          UNION ALL
          SELECT p.name, p.setting, 'ALTER SYSTEM', 5
          FROM pg_settings p WHERE p.source IN ('configuration file', 'command line')) s
    WHERE s.name = ANY ($2::text[])
    ORDER BY s.name, s.place
)
SELECT 1 AS place, x.code,
       CASE WHEN s.ms >= 1000 OR s.name = 'transaction_timeout' THEN 'info' ELSE '' END AS severity,
       $1::text AS object,
       format('sessions of role "%s" %s', $1::text,
              coalesce(x.what, format('have %s %s, and job "%s" may take longer', s.name, s.value,
                  $4::text))) AS message,
       x.detail, s.reset AS hint
FROM setting s
JOIN (VALUES
    ('session_replication_role', 'V059', 'fire no triggers',
     'Its session_replication_role is replica: foreign keys neither cascade nor refuse, '
     'and rows are left behind that refer to nothing.'),
    ('exit_on_error', 'V072', 'end at the first error, since exit_on_error is on',
     'A run that meets a locked or refused row ends with its session, and is not logged.'),
    ('statement_timeout', 'V072', NULL,
     'The call of a job is one statement. The timeout cancels it, and the next call does the rest.'),
    ('transaction_timeout', 'V072', NULL,
     'A batch that takes longer is undone, and the session ended with the run in it.')
) x (name, code, what, detail) ON x.name = s.name
WHERE CASE s.name WHEN 'session_replication_role' THEN s.value = 'replica' WHEN 'exit_on_error' THEN s.value <> 'off'
                  ELSE s.ms > 0 AND s.ms < $3::float8 END
ORDER BY 2, 5

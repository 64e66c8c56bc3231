-- Returns settings of the runner's sessions that take effect before a function of the runtime is
-- called. The runtime cannot set them itself. The query leaves out values that harm no run.
-- $1: the role
-- $2: names of settings
-- $3: how long a job may take, in milliseconds
-- For a timeout, the call of a job is one statement, and each batch is one transaction.
-- ms: a timeout in milliseconds; NULL if the value is no timeout
-- place: what the setting is set for; the first of these takes precedence: 'both' the role and the
--   database, 'role', 'database', 'all', 'server'
SELECT s.name, s.value, s.ms, (ARRAY['both', 'role', 'database', 'all', 'server'])[s.n] AS place
FROM (
    SELECT DISTINCT ON (a.name) a.*,
           CASE WHEN a.value ~ '^\d+$' THEN a.value::float8
                WHEN a.value ~ '^ *\d+(\.\d+)? *(us|ms|s|min|h|d) *$'
                THEN 1000 * extract(epoch FROM a.value::interval)::float8 END AS ms
    FROM (SELECT split_part(c, '=', 1) AS name, split_part(c, '=', 2) AS value,
                 CASE WHEN d.setdatabase <> 0 AND d.setrole <> 0 THEN 1 WHEN d.setrole <> 0 THEN 2
                      WHEN d.setdatabase <> 0 THEN 3 ELSE 4 END AS n
          FROM pg_db_role_setting d CROSS JOIN unnest(d.setconfig) AS c
          WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
            AND d.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = $1::text))
          UNION ALL
          SELECT p.name, p.setting, 5
          FROM pg_settings p WHERE p.source IN ('configuration file', 'command line')) a
    WHERE a.name = ANY ($2::text[])
    ORDER BY a.name, a.n
) s
WHERE CASE s.name WHEN 'session_replication_role' THEN s.value = 'replica' WHEN 'exit_on_error' THEN s.value <> 'off'
                  ELSE s.ms > 0 AND s.ms < $3::float8 END
ORDER BY 1

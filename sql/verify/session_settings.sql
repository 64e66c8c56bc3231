-- Settings with which sessions of a role begin. $1: the role; $2: names of settings. One row per setting that
-- something sets: its name, its value, that in milliseconds where it is a time (NULL where it cannot be read), and the
-- statement that takes it back where it is set: for the role in this database, the role, the database, all roles or the
-- server, the most particular one.
SELECT DISTINCT ON (s.name) s.name, s.value,
       CASE WHEN s.value ~ '^\d+$' THEN s.value::float8
            WHEN s.value ~ '^ *\d+(\.\d+)? *(us|ms|s|min|h|d) *$' THEN 1000 * extract(epoch FROM s.value::interval)::float8 END,
       s.reset || ' RESET ' || s.name || CASE s.place WHEN 5 THEN '; SELECT pg_reload_conf();' ELSE ';' END
FROM (SELECT split_part(c, '=', 1) AS name, split_part(c, '=', 2) AS value,
             CASE WHEN d.setrole = 0 AND d.setdatabase = 0 THEN 'ALTER ROLE ALL'
                  WHEN d.setrole = 0 THEN format('ALTER DATABASE %I', current_database())
                  WHEN d.setdatabase = 0 THEN format('ALTER ROLE %I', $1::text)
                  ELSE format('ALTER ROLE %I IN DATABASE %I', $1::text, current_database()) END AS reset,
             CASE WHEN d.setdatabase <> 0 AND d.setrole <> 0 THEN 1 WHEN d.setrole <> 0 THEN 2
                  WHEN d.setdatabase <> 0 THEN 3 ELSE 4 END AS place  -- PostgreSQL's own order
      FROM pg_db_role_setting d CROSS JOIN unnest(d.setconfig) AS c
      WHERE d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        AND d.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = $1::text))
      UNION ALL
      SELECT p.name, p.setting, 'ALTER SYSTEM', 5
      FROM pg_settings p WHERE p.source IN ('configuration file', 'command line')) s
WHERE s.name = ANY ($2::text[])
ORDER BY s.name, s.place

-- Where sessions of a role are told not to fire triggers. $1: the role. At most one row: the setting's
-- value, and whether it is of 'role', 'database', 'both' (that role in this database) or 'all' roles, the most particular one.
SELECT s.value,
       CASE WHEN s.setdatabase <> 0 AND s.setrole <> 0 THEN 'both' WHEN s.setrole <> 0 THEN 'role'
            WHEN s.setdatabase <> 0 THEN 'database' ELSE 'all' END
FROM (SELECT d.setdatabase, d.setrole, split_part(c, '=', 2) AS value
      FROM pg_db_role_setting d CROSS JOIN unnest(d.setconfig) AS c
      WHERE c LIKE 'session\_replication\_role=%'
        AND d.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
        AND d.setrole IN (0, (SELECT r.oid FROM pg_roles r WHERE r.rolname = $1))) s
ORDER BY s.setrole = 0, s.setdatabase = 0  -- PostgreSQL's own order: role and database, role, database, all
LIMIT 1

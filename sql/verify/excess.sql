-- What roles can do that nothing of ours needs. $1: the runtime's owner; $2: the other roles; $3: the worker. One
-- row per role and fault: whether it leads to other people's rows, and the fault as it completes
-- "role x ...". Superusers have a finding of their own.
SELECT r.rolname::text, f.changes, f.fault
FROM pg_roles r
LEFT JOIN pg_roles o ON o.rolname = $1
CROSS JOIN LATERAL (
    VALUES (r.rolcreaterole, current_setting('server_version_num')::integer < 160000, 'has CREATEROLE'),
           (r.rolreplication, false, 'has REPLICATION'),
           (r.rolbypassrls AND r.rolname <> ALL (ARRAY[$1, $3]::text[]), false, 'has BYPASSRLS'),
           (r.oid <> o.oid AND pg_has_role(r.oid, o.oid, 'MEMBER'), true, format('is a member of "%s"', o.rolname))
    UNION ALL
    SELECT pg_has_role(r.oid, p.oid, 'MEMBER'), p.rolname <> 'pg_read_server_files', format('is a member of "%s"', p.rolname)
    FROM pg_roles p
    WHERE p.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files')
) f (found, changes, fault)
WHERE r.rolname = ANY (array_append($2::text[], $1::text)) AND NOT r.rolsuper AND f.found
ORDER BY 1, 2 DESC, 3

-- Findings on what roles can do that nothing of ours needs: drift where it leads to rows that only runs should change.
-- $1: the runtime's owner; $2: the other roles; $3: the worker. Superusers have a finding of their own.
SELECT 1 AS place, r.rolname::text AS object, CASE WHEN f.changes THEN 'drift' ELSE 'info' END AS severity,
       format('role "%s" %s', r.rolname, coalesce('has ' || f.attribute, format('is a member of "%s"', f.member_of))) AS message,
       'Nothing of pgretain needs it.'
       || CASE WHEN f.changes THEN ' With it the role can change rows by hand, past holds, guards and run log.' ELSE '' END AS detail,
       coalesce(format('ALTER ROLE %I ', r.rolname) || 'NO' || f.attribute || ';', format('REVOKE %I FROM %I;', f.member_of, r.rolname)) AS hint
FROM pg_roles r
LEFT JOIN pg_roles o ON o.rolname = $1
CROSS JOIN LATERAL (
    VALUES (r.rolcreaterole, current_setting('server_version_num')::integer < 160000, 'CREATEROLE', NULL),
           (r.rolreplication, false, 'REPLICATION', NULL),
           (r.rolbypassrls AND r.rolname <> ALL (ARRAY[$1, $3]::text[]), false, 'BYPASSRLS', NULL),
           (r.oid <> o.oid AND pg_has_role(r.oid, o.oid, 'MEMBER'), true, NULL, o.rolname::text)
    UNION ALL
    SELECT pg_has_role(r.oid, p.oid, 'MEMBER'), p.rolname <> 'pg_read_server_files', NULL, p.rolname::text
    FROM pg_roles p
    WHERE p.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files')
) f (found, changes, attribute, member_of)
WHERE r.rolname = ANY (array_append($2::text[], $1::text)) AND NOT r.rolsuper AND f.found
ORDER BY 2, 3, 4

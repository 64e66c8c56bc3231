-- Returns attributes and memberships of roles that pgretain does not need. It leaves out
-- superusers.
-- $1: the owner
-- $2: the worker
-- $3: runner, operator and viewer, except the one that is the owner
-- attribute: as ALTER ROLE names it; '' for a membership
-- member_of: the role of the membership, or ''
-- changes: the role can use it to change rows that only runs should change
SELECT r.rolname::text AS role, f.attribute, f.member_of, f.changes
FROM pg_roles r
LEFT JOIN pg_roles o ON o.rolname = $1::text
CROSS JOIN LATERAL (
    VALUES (r.rolcreaterole, current_setting('server_version_num')::integer < 160000, 'CREATEROLE', ''),
           (r.rolreplication, false, 'REPLICATION', ''),
           (r.rolbypassrls AND r.rolname NOT IN ($1::text, $2::text), false, 'BYPASSRLS', ''),
           (r.oid <> o.oid AND pg_has_role(r.oid, o.oid, 'MEMBER'), true, '', o.rolname::text)
    UNION ALL
    SELECT pg_has_role(r.oid, p.oid, 'MEMBER'), p.rolname <> 'pg_read_server_files', '', p.rolname::text
    FROM pg_roles p
    WHERE p.rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files',
        'pg_read_server_files')
) f (has, changes, attribute, member_of)
WHERE r.rolname = ANY ($3::text[] || $1::text || $2::text) AND NOT r.rolsuper AND f.has
ORDER BY 1, 2, 3

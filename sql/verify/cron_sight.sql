-- What a role sees of schema cron, wherever that is. $1: a role. One row: whether the table of jobs is
-- here, whether the current role may read it, whether row security hides rows from it, whether it is a
-- member of the role, and the database.
SELECT c.oid IS NOT NULL,
       coalesce(has_schema_privilege(c.relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'), false),
       coalesce(row_security_active(c.oid), true),
       coalesce(pg_has_role(r.oid, 'MEMBER'), false),
       current_database()::text
FROM (SELECT) AS one
LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'cron') ON c.relname = 'job'
LEFT JOIN pg_roles r ON r.rolname = $1

-- What the role sees of schema cron, wherever that is. One row: whether the table of jobs is here, whether the role may
-- read it, whether row security hides rows from it, and the database.
SELECT c.oid IS NOT NULL,
       coalesce(has_schema_privilege(c.relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'), false),
       coalesce(row_security_active(c.oid), true), current_database()::text
FROM (SELECT) AS one
LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'cron') ON c.relname = 'job'

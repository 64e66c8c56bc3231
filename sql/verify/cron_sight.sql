-- Returns one row if the session's role cannot see the runner's jobs in schema cron of this
-- database.
-- $1: the runner
-- database: this database
-- fault: why the role cannot see the jobs
--   - 'no table': table cron.job does not exist
--   - 'no privilege': the role is the runner, and a privilege is missing
--   - 'row security': row security shows the jobs to the runner alone
SELECT current_database()::text AS database, current_user::text AS role,
       CASE WHEN c.oid IS NULL THEN 'no table' WHEN current_user = $1 THEN 'no privilege' ELSE 'row security' END
           AS fault
FROM (SELECT) AS one
LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'cron') ON c.relname = 'job'
WHERE c.oid IS NULL OR row_security_active(c.oid) AND current_user <> $1::text
   OR NOT (has_schema_privilege(c.relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'))

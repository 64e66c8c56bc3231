-- Returns a finding if the session's role cannot see the runner's jobs in schema cron of this
-- database. V044: table cron.job does not exist. V090: a privilege is missing, or row security
-- hides the jobs. What cannot be seen is information only if the jobs ran in time.
-- $1: the runner
-- $2: whether the jobs ran in time
SELECT 1 AS place, CASE WHEN c.oid IS NULL THEN 'V044' ELSE 'V090' END AS code,
       CASE WHEN c.oid IS NULL THEN 'drift' WHEN $2 THEN 'info' ELSE 'unknown' END AS severity,
       CASE WHEN c.oid IS NULL THEN format('extension pg_cron is not installed in database "%s"', current_database())
            ELSE format('could not check the jobs in pg_cron, in database "%s"', current_database()) END AS message,
       CASE WHEN c.oid IS NULL THEN 'pg_cron schedules no job of this policy file.'
            WHEN current_user = $1 THEN format('Role "%s" has no USAGE on schema cron, or no SELECT on cron.job.', $1)
            ELSE format('Row security shows them to role "%s" alone, and role "%s" is not a member of it.',
                        $1, current_user) END || CASE WHEN $2 AND c.oid IS NOT NULL
                THEN ' Each job has run in time. Whether its schedule in pg_cron is that of the policy file was not '
                     'checked.' ELSE '' END AS detail,
       CASE WHEN c.oid IS NULL THEN 'Have a DBA run what "pgretain bootstrap --cron" prints, then "pgretain migrate up --cron".'
            WHEN current_user = $1 THEN 'Have a DBA run what "pgretain bootstrap --cron" prints.'
            ELSE format('Run "pgretain verify" as a superuser, or as role "%s".', $1) END AS hint
FROM (SELECT) AS one
LEFT JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'cron') ON c.relname = 'job'
WHERE c.oid IS NULL OR row_security_active(c.oid) AND current_user <> $1::text
   OR NOT (has_schema_privilege(c.relnamespace, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'))

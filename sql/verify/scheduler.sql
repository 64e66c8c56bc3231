-- Findings on pg_cron's scheduler: it is not running (V044), or settings prevent it from starting
-- jobs (V049). The finding is "unknown" if neither the session's role nor the runtime's owner may
-- see other sessions or settings, unless the jobs ran in time. If the scheduler is not running, the
-- query does not report unreadable settings.
-- $1: the owner
-- $2: whether schema cron is in another database
-- PostgreSQL 18 lists a session before it is connected to its database. Such a session has no
-- datname and is not counted.
WITH scheduler AS MATERIALIZED (
    SELECT s.by_role OR s.by_owner AS seen,
           CASE WHEN s.running THEN false WHEN s.by_role THEN true
                ELSE retention._scheduler_state() IN ('stopped', 'unknown') END AS reported
    FROM (SELECT pg_has_role('pg_read_all_stats', 'USAGE') AS by_role,
                 coalesce((SELECT pg_has_role(p.proowner, 'pg_read_all_stats', 'USAGE')
                           FROM pg_proc p WHERE p.oid = to_regprocedure('retention._scheduler_state()')),
                               false) AS by_owner,
                 EXISTS (SELECT FROM pg_stat_activity a
                         WHERE a.backend_type LIKE 'pg_cron%' AND a.datname IS NOT NULL) AS running) s
), setting AS MATERIALIZED (
    SELECT n.name, CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE')
                        THEN coalesce(current_setting('cron.' || n.name, true), '')
                        ELSE retention._cron_setting(n.name) END AS value
    FROM (VALUES ('launch_active_jobs'), ('max_running_jobs')) n (name)
)
SELECT 0 AS place, 'V044' AS code, CASE WHEN x.seen THEN 'drift' ELSE 'unknown' END AS severity,
       CASE WHEN x.seen THEN 'the pg_cron scheduler is not running'
            ELSE 'could not determine whether the pg_cron scheduler is running' END AS message,
       CASE WHEN NOT x.seen THEN format('Neither "%s" nor "%s" may see other sessions.', current_user, $1::text)
            WHEN $2::boolean OR EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron') THEN ''
            ELSE format('Extension pg_cron is not installed in database "%s".', current_database()) END AS detail,
       CASE WHEN x.seen THEN 'Look for "pg_cron" in the server''s log, in shared_preload_libraries, and at cron.database_name.'
            ELSE format('GRANT pg_monitor TO %I;', $1::text) END AS hint
FROM scheduler x WHERE x.reported
UNION ALL
SELECT 1, 'V049', 'drift', format('pg_cron starts no job: cron.%s is %s', s.name, s.value), '',
       CASE s.value WHEN 'off' THEN 'ALTER SYSTEM SET cron.launch_active_jobs = on; SELECT pg_reload_conf();'
                    ELSE 'Reset cron.max_running_jobs and restart the server.' END
FROM setting s WHERE (s.name, s.value) IN (('launch_active_jobs', 'off'), ('max_running_jobs', '0'))
UNION ALL
SELECT 1, 'V049', 'unknown', 'could not determine whether pg_cron is switched off',
       format('Role "%s" may not read its settings.', $1::text), format('GRANT pg_monitor TO %I;', $1::text)
FROM scheduler x
WHERE NOT x.reported AND EXISTS (SELECT FROM setting s WHERE s.value IS NULL) AND NOT retention._jobs_in_time()

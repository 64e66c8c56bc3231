-- Returns one row about pg_cron's scheduler.
-- installed: extension pg_cron is installed in this database
-- visible: the session's role or the runtime's owner may see the sessions of others
-- reported: the scheduler is not running, or that is unknown and the jobs did not run in time
-- launch_active_jobs, max_running_jobs: settings of pg_cron; NULL if neither the session's role nor
--   the runtime's owner may read them
-- in_time: each job began a run in time. It is evaluated only if a setting is unknown.
-- PostgreSQL 18 lists a session before it is connected to its database. Such a session has no
-- datname and is not counted.
WITH scheduler AS MATERIALIZED (
    SELECT s.by_role OR s.by_owner AS visible,
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
SELECT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron') AS installed, x.visible, x.reported,
       a.value AS launch_active_jobs, m.value AS max_running_jobs,
       CASE WHEN a.value IS NULL OR m.value IS NULL THEN retention._jobs_in_time() ELSE false END AS in_time
FROM scheduler x JOIN setting a ON a.name = 'launch_active_jobs' JOIN setting m ON m.name = 'max_running_jobs'

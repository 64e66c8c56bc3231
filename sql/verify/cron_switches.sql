-- A finding where settings of pg_cron keep it from running anything, as the role itself reads them, or else the owner of the
-- runtime; unknown where neither may. $1: the owner; $2: whether it is known already that this one sees too little.
WITH setting AS (
    SELECT n.name, CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE') THEN coalesce(current_setting('cron.' || n.name, true), '')
                        ELSE retention._cron_setting(n.name) END AS value
    FROM (VALUES ('launch_active_jobs'), ('max_running_jobs')) n (name)
)
SELECT 1 AS place, 'drift' AS severity, format('pg_cron starts no job: cron.%s is %s', s.name, s.value) AS message, '' AS detail,
       CASE s.value WHEN 'off' THEN 'ALTER SYSTEM SET cron.launch_active_jobs = on; SELECT pg_reload_conf();'
                    ELSE 'Reset cron.max_running_jobs and restart the server.' END AS hint
FROM setting s WHERE (s.name, s.value) IN (('launch_active_jobs', 'off'), ('max_running_jobs', '0'))
UNION ALL
SELECT 1, 'unknown', 'could not see whether pg_cron is switched off', format('Role "%s" may not read its settings.', $1::text),
       format('GRANT pg_monitor TO %I;', $1::text)
WHERE NOT $2::boolean AND EXISTS (SELECT FROM setting s WHERE s.value IS NULL)

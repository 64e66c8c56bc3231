-- Settings of pg_cron that keep it from running anything, as the role itself reads them, or else the owner of
-- the runtime; '' where pg_cron has none of the name, NULL where neither may read them.
SELECT CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE') THEN coalesce(current_setting('cron.launch_active_jobs', true), '')
            ELSE retention._cron_setting('launch_active_jobs') END,
       CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE') THEN coalesce(current_setting('cron.max_running_jobs', true), '')
            ELSE retention._cron_setting('max_running_jobs') END

-- The database that pg_cron works in. pg_settings leaves out what a role may not see, where
-- current_setting() raises.
SELECT coalesce((SELECT s.setting FROM pg_catalog.pg_settings s WHERE s.name = 'cron.database_name'), '');

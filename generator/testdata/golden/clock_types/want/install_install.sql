-- as owner
-- Runtime version 1.
INSERT INTO retention.install (runtime_version, search_path, time_zone, scheduler, protect, trust, cron_database,
    system_identifier, database_name)
SELECT '1', 'public', 'Europe/Berlin', 'pg_cron', ARRAY[]::text[], ARRAY[]::text[], NULL,
    c.system_identifier, current_database() FROM pg_control_system() c
ON CONFLICT (only_row) DO UPDATE SET runtime_version = excluded.runtime_version,
    search_path = excluded.search_path, time_zone = excluded.time_zone, scheduler = excluded.scheduler,
    protect = excluded.protect, trust = excluded.trust, cron_database = excluded.cron_database;
UPDATE retention.install SET server = retention._server() WHERE server IS NULL;

-- to drop it
DELETE FROM retention.install;

-- as owner
INSERT INTO retention.install
    (runtime_version, search_path, time_zone, scheduler, protect, system_identifier, database_name)
SELECT '1', 'public', 'UTC', 'pg_cron', ARRAY[]::text[],
       c.system_identifier, current_database()
FROM pg_control_system() c
ON CONFLICT (only_row) DO UPDATE SET
    runtime_version = excluded.runtime_version, search_path = excluded.search_path,
    time_zone = excluded.time_zone, scheduler = excluded.scheduler, protect = excluded.protect;

-- to drop it
DELETE FROM retention.install;

-- Returns database, role and server of the session, the time zones of the install and of its
-- schedules, the version of the runtime, and when the database was adopted.
SELECT current_database()::text, current_user::text, split_part(version(), ' on ', 1),
       now(), i.time_zone, i.runtime_version, i.adopted_at,
       CASE WHEN i.scheduler <> 'pg_cron' THEN i.time_zone
            ELSE coalesce(nullif(retention._cron_setting('timezone'), ''), 'GMT') END
FROM retention.install i

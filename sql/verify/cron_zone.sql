-- Returns the time zone of pg_cron's schedules, spelled as PostgreSQL spells it. The result is GMT
-- if pg_cron has no time zone setting, and '' if the setting cannot be read.
SELECT coalesce((SELECT n.name FROM pg_timezone_names n
                 WHERE z.zone <> 'GMT' AND lower(n.name) = lower(z.zone) LIMIT 1), z.zone, '')
FROM (SELECT CASE s.setting WHEN '' THEN 'GMT' ELSE s.setting END AS zone
      FROM (SELECT CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE')
          THEN coalesce(current_setting('cron.timezone', true), '')
                       ELSE retention._cron_setting('timezone') END AS setting) s) z

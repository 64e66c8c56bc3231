-- The zone in which pg_cron counts, as PostgreSQL spells its name, GMT where it has no such
-- setting; '' where nobody could read it.
SELECT coalesce((SELECT n.name FROM pg_timezone_names n
                 WHERE z.zone <> 'GMT' AND lower(n.name) = lower(z.zone) LIMIT 1), z.zone, '')
FROM (SELECT CASE s.setting WHEN '' THEN 'GMT' ELSE s.setting END AS zone
      FROM (SELECT CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE')
          THEN coalesce(current_setting('cron.timezone', true), '')
                       ELSE retention._cron_setting('timezone') END AS setting) s) z

-- The zone in which pg_cron counts, as PostgreSQL spells its name; '' where nobody could read it.
SELECT coalesce((SELECT n.name FROM pg_timezone_names n
                 WHERE z.zone <> 'GMT' AND lower(n.name) = lower(z.zone) LIMIT 1), z.zone, '')
FROM (SELECT retention._cron_zone() AS zone) z

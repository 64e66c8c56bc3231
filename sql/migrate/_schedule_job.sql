-- _schedule_job schedules a pg_cron job of the current role, or changes its schedule and command.
-- In a database without the extension pg_cron it raises a warning and schedules nothing. So the
-- same migrations apply to a test database. "pgretain verify" reports the missing job as V040.
-- It re-creates an inactive job, because cron.schedule does not activate it.
CREATE OR REPLACE FUNCTION retention._schedule_job(p_name text, p_schedule text, p_command text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    PERFORM retention._unschedule_job(p_name, only_inactive => true);
    IF retention._cron_seen() IS NOT NULL THEN
        EXECUTE 'SELECT cron.schedule($1, $2, $3)' USING p_name, p_schedule, p_command;
    ELSE
        RAISE WARNING 'job "%" is not scheduled, because database "%" has no extension pg_cron',
            p_name, current_database()
            USING HINT = format('Run it by other means: %s;', p_command);
    END IF;
END $function$;

-- _cron_setting returns a setting of pg_cron. It returns '' if there is no such setting, and NULL
-- if the owner needs pg_monitor to read it.
-- p_name: the name without "cron."
CREATE OR REPLACE FUNCTION retention._cron_setting(p_name text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN coalesce(current_setting('cron.' || p_name, true), '');
EXCEPTION WHEN insufficient_privilege THEN RETURN NULL;
END $function$;

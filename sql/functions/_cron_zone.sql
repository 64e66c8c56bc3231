-- The zone in which pg_cron counts, GMT where it has no such setting; NULL where the owner may not
-- read settings, which takes pg_monitor.
CREATE OR REPLACE FUNCTION retention._cron_zone() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN coalesce(nullif(current_setting('cron.timezone', true), ''), 'GMT');
EXCEPTION WHEN insufficient_privilege THEN
    RETURN NULL;
END
$function$;
REVOKE ALL ON FUNCTION retention._cron_zone() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._cron_zone() TO retention_runner, retention_operator, retention_viewer;

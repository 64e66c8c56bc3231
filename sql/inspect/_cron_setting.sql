-- A setting of pg_cron by its name without "cron.", '' for none such; NULL where the owner lacks pg_monitor for it.
CREATE OR REPLACE FUNCTION retention._cron_setting(p_name text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN coalesce(current_setting('cron.' || p_name, true), '');
EXCEPTION WHEN insufficient_privilege THEN RETURN NULL;
END $function$;

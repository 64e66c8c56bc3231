CREATE OR REPLACE FUNCTION retention._paused(p_policy text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$ BEGIN RETURN NULL; END $function$;

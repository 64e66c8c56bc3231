CREATE OR REPLACE FUNCTION retention._paused(p_policy text) RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$ SELECT NULL::text $function$;

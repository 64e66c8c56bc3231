-- Which version of the runtime these functions are. retention.install has the one whose registry is
-- installed: the last file of a migration writes that.
CREATE OR REPLACE FUNCTION retention._version() RETURNS text
LANGUAGE sql IMMUTABLE AS $function$
    SELECT '1'::pg_catalog.text
$function$;

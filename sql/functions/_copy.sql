-- What makes this database a copy of the one that the migrations installed, NULL when nothing does.
CREATE OR REPLACE FUNCTION retention._copy() RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    RETURN (
        SELECT format('this is a copy: database "%s" of system %s, adopted was "%s" of system %s',
                      current_database(), c.system_identifier, i.database_name, i.system_identifier)
        FROM retention.install i, pg_control_system() c
        WHERE i.system_identifier <> c.system_identifier OR i.database_name <> current_database());
END
$function$;
REVOKE ALL ON FUNCTION retention._copy() FROM PUBLIC;

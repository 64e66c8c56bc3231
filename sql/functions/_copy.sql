-- What makes this database a copy of the one that the migrations installed or an operator adopted, NULL when nothing
-- does. Nothing runs on a standby, which is not asked what server it is.
CREATE OR REPLACE FUNCTION retention._copy() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_install retention.install;
    v_system CONSTANT bigint := (SELECT c.system_identifier FROM pg_control_system() c);
    v_server jsonb; v_differs text;
BEGIN
    SELECT * INTO v_install FROM retention.install;
    IF v_install.system_identifier <> v_system OR v_install.database_name <> current_database() THEN
        v_differs := format('database "%s" of system %s, adopted was "%s" of system %s',
                            current_database(), v_system, v_install.database_name, v_install.system_identifier);
    ELSIF NOT pg_is_in_recovery() THEN
        v_server := retention._server();
        SELECT 'a copy of the files, or a server that was promoted or recovered, differs from the adopted one in: '
               || string_agg(k.key, ', ' ORDER BY k.key)
        INTO v_differs
        FROM jsonb_each(v_install.server) k WHERE v_server -> k.key <> k.value;  -- NULL: nobody may read it any more
    END IF;
    RETURN 'this is a copy: ' || v_differs || '; retention.adopt(reason) lets runs delete here';
END $function$;

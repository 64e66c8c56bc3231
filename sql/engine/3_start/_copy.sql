-- _copy returns why this database is a copy of the one that was installed or adopted. It returns
-- NULL if it is not a copy. On a standby it does not check the server, because no run starts there.
CREATE OR REPLACE FUNCTION retention._copy() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_system CONSTANT bigint := (pg_control_system()).system_identifier; v_install retention.install; v_differs text;
BEGIN
    SELECT * INTO v_install FROM retention.install;
    IF (v_install.system_identifier, v_install.database_name) <> (v_system, current_database()) THEN
        v_differs := format('database "%s" of system %s, adopted was "%s" of system %s', current_database(), v_system,
            v_install.database_name, v_install.system_identifier);
    ELSIF NOT pg_is_in_recovery() AND NOT retention._server() @> v_install.server THEN
        v_differs := (
            SELECT 'a copy of the files, or a server that was promoted or recovered, differs from the adopted one in: '
                   || string_agg(k.key, ', ' ORDER BY k.key)
            FROM retention._server() s CROSS JOIN jsonb_each(v_install.server) k
            WHERE s -> k.key <> k.value);  -- NULL if the owner may not read it
    END IF;
    RETURN 'this is a copy: ' || v_differs || '; retention.adopt(reason) lets runs delete here';
END $function$;

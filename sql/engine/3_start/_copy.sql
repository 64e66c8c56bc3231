-- _copy returns why this database is a copy of the one that was installed or adopted. It returns
-- NULL if it is not a copy. On a standby it does not check the server, because no run starts there.
CREATE OR REPLACE FUNCTION retention._copy() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_differs text := (
        SELECT format('database "%s" of system %s, adopted was "%s" of system %s', current_database(),
                      c.system_identifier, i.database_name, i.system_identifier)
        FROM retention.install i CROSS JOIN pg_control_system() c
        WHERE (i.system_identifier, i.database_name) <> (c.system_identifier, current_database()));
BEGIN
    IF v_differs IS NULL AND NOT pg_is_in_recovery() THEN
        v_differs := (
            SELECT 'a copy of the files, or a server that was promoted or recovered, differs from the adopted one in: '
                   || string_agg(k.key, ', ' ORDER BY k.key)
            FROM retention._server() s CROSS JOIN retention.install i CROSS JOIN jsonb_each(i.server) k
            WHERE s -> k.key <> k.value);  -- NULL if the owner may not read it
    END IF;
    RETURN 'this is a copy: ' || v_differs || '; retention.adopt(reason) lets runs delete here';
END $function$;

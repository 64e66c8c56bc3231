-- _check_grant raises 42501 if a role lacks a privilege that the migration has just granted.
-- PostgreSQL only warns if the grantor has no grant option.
CREATE OR REPLACE FUNCTION retention._check_grant(p_role text, p_schema text, p_table text, p_rights text) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_missing text;
BEGIN
    IF NOT has_schema_privilege(p_role, p_schema, 'USAGE') THEN
        v_missing := format('USAGE on schema "%s"', p_schema);
    ELSE
        SELECT format('%s on table %s', string_agg(r.name, ', '), p_table) INTO v_missing
        FROM unnest(string_to_array(p_rights, ', ')) r (name) WHERE NOT has_table_privilege(p_role, p_table, r.name)
        HAVING count(*) > 0;
    END IF;
    IF v_missing IS NOT NULL THEN
        RAISE insufficient_privilege
            USING MESSAGE = format('role "%s" is not allowed to grant %s to "%s"', current_user, v_missing, p_role),
                  HINT = 'Migrate as the owner of the object, or let the owner grant this privilege WITH GRANT OPTION '
                         'to the migrating role; then migrate again.';
    END IF;
END $function$;

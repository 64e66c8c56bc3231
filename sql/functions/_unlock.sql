-- Gives up this session's run lock on a run's table, however often it was taken.
CREATE OR REPLACE FUNCTION retention._unlock(p_run bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_table oid;
BEGIN
    SELECT retention._table(r.table_name) INTO v_table FROM retention.run r WHERE r.id = p_run;
    PERFORM retention._unlock_table(v_table);
EXCEPTION WHEN undefined_table THEN
    NULL;  -- dropped meanwhile: a lock on its OID keeps nobody out
END
$function$;
REVOKE ALL ON FUNCTION retention._unlock(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention._unlock(bigint) TO retention_runner, retention_operator;

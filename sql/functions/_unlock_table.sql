-- Gives up this session's run locks on a table, however often they were taken.
CREATE OR REPLACE FUNCTION retention._unlock_table(p_table oid) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_class bigint;
BEGIN
    LOOP
        SELECT l.classid::bigint INTO v_class FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.pid = pg_backend_pid() AND l.granted AND l.objsubid = 1
          AND l.objid = p_table AND l.classid::bigint BETWEEN 1347571758 AND 1347571761
        LIMIT 1;
        EXIT WHEN NOT FOUND OR NOT pg_advisory_unlock(v_class << 32 | p_table::bigint);
    END LOOP;
END
$function$;
REVOKE ALL ON FUNCTION retention._unlock_table(oid) FROM PUBLIC;

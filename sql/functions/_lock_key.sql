-- Advisory lock keys. The upper half says what is locked (1347571762: the holds), the lower half is the
-- table's OID, so that pg_locks shows both (classid, objid).
CREATE OR REPLACE FUNCTION retention._lock_key(p_what text, p_table oid)
RETURNS bigint
LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT CASE p_what WHEN 'hold' THEN 1347571762 END::bigint << 32
           | p_table::bigint
$function$;

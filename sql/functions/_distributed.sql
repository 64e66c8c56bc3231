-- The tables that Citus distributes or replicates, to whose nodes rows and their ctids belong; none without Citus.
CREATE OR REPLACE FUNCTION retention._distributed() RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_list CONSTANT regclass := to_regclass('pg_catalog.pg_dist_partition'); v_tables oid[] := '{}';
BEGIN
    IF v_list IS NOT NULL THEN
        EXECUTE format('SELECT array_agg(p.logicalrelid::oid) FROM %s p', v_list) INTO v_tables;
    END IF;
    RETURN v_tables;
END $function$;

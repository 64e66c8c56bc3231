-- The tables that Citus distributes or replicates, to whose nodes rows and their ctids belong; only where it is there.
CREATE OR REPLACE FUNCTION retention._distributed() RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN QUERY EXECUTE format('SELECT p.logicalrelid::oid FROM %s p', to_regclass('pg_catalog.pg_dist_partition'));
END $function$;

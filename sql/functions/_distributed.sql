-- The tables that Citus distributes or replicates, to whose nodes rows and their ctids belong; only where it is there.
CREATE OR REPLACE FUNCTION retention._distributed() RETURNS SETOF oid
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN QUERY EXECUTE 'SELECT p.logicalrelid::oid FROM pg_catalog.pg_dist_partition p';
END $function$;

-- _distributed returns the tables that Citus distributes or replicates. Their rows and ctids are on
-- the nodes of Citus.
CREATE OR REPLACE FUNCTION retention._distributed() RETURNS SETOF oid
LANGUAGE plpgsql STABLE ROWS 1 SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        RETURN QUERY EXECUTE format('SELECT p.logicalrelid::oid FROM %s p',
            to_regclass('pg_catalog.pg_dist_partition'));
    END IF;
END $function$;

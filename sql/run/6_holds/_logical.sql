-- The tables, and those that Citus distributes of which they are shards: holds are on these.
CREATE OR REPLACE FUNCTION retention._logical(p_tables oid[]) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL THEN
        EXECUTE format('SELECT $1 || array_agg(s.logicalrelid::oid) FROM %s s
            WHERE to_regclass(shard_name(s.logicalrelid, s.shardid)) = ANY ($1)', to_regclass('pg_catalog.pg_dist_shard'))
        INTO p_tables USING p_tables;
    END IF;
    RETURN p_tables;
END $function$;

-- _distributed_table returns the tables, and after them the distributed tables whose shards they
-- are, because holds are placed on distributed tables. It looks up no name, because the caller may
-- lack USAGE on the schema.
CREATE OR REPLACE FUNCTION retention._distributed_table(p_tables oid[]) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL THEN
        EXECUTE format('SELECT $1 || array_agg(s.logicalrelid::oid) FROM pg_class c
            JOIN %s s ON s.shardid::text = substring(c.relname::text, ''_(\d+)$'')
            JOIN pg_class l ON l.oid = s.logicalrelid AND l.relnamespace = c.relnamespace WHERE c.oid = ANY ($1)
            AND shard_name(l.oid, s.shardid) IN (quote_ident(c.relname),
                concat(c.relnamespace::regnamespace, ''.'', quote_ident(c.relname)))',
            to_regclass('pg_catalog.pg_dist_shard'))
        INTO p_tables USING p_tables;
    END IF;
    RETURN p_tables;
END $function$;

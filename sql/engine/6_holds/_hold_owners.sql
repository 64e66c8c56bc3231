-- _hold_owners returns the tables on which a hold applies to rows of the given tables. These are
-- the tables themselves, all tables from which they inherit (for a partition, its parents), and the
-- distributed tables whose shards they are. It reads only the catalog.
CREATE OR REPLACE FUNCTION retention._hold_owners(p_tables oid[]) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    RETURN retention._distributed_table(ARRAY(
        WITH RECURSIVE owner AS (
            SELECT t.oid FROM unnest(p_tables) t (oid)
            UNION SELECT i.inhparent FROM owner o CROSS JOIN LATERAL (
                SELECT x.inhparent FROM pg_inherits x WHERE x.inhrelid = o.oid OFFSET 0) i
        )
        SELECT o.oid FROM owner o));
END $function$;

-- _hold_tables returns the tables whose holds concern a policy. These are its own table, the tables
-- of its steps, and the tables that foreign keys reach from its deletes. For a partition it returns
-- the root. It reads only the catalog.
CREATE OR REPLACE FUNCTION retention._hold_tables(p_policy text) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN  -- in PL/pgSQL, which caches the plan
    RETURN (SELECT retention._hold_owners(ARRAY(SELECT DISTINCT coalesce(pg_partition_root(t), t)::oid
                FROM unnest(retention._resolve_tables(p.table_name || p.related || p.changes || p.reach)) t))
            FROM retention.policy p WHERE p.name = p_policy);
END $function$;

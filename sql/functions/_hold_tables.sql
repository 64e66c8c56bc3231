-- The tables whose holds concern a policy, as things are now: its own, those of its steps, and those that foreign keys
-- lead to from its deletes; roots, where they are partitioned. Reads the catalog only.
CREATE OR REPLACE FUNCTION retention._hold_tables(p_policy text) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (SELECT ARRAY(SELECT coalesce(pg_partition_root(t), t)::oid
                 FROM unnest(p.table_name || p.related || p.changes) x (name) CROSS
                     JOIN LATERAL retention._table(x.name) t
                 UNION
                 SELECT r.reached FROM retention._reach(ARRAY(SELECT retention._table(d) FROM unnest(p.deletes) d),
                     '[]') r)
    FROM retention.policy p WHERE p.name = p_policy);
END $function$;

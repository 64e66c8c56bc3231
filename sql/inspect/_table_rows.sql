-- _table_rows returns how many rows a policy's table has, according to statistics. It neither waits
-- for a lock nor counts rows. It returns NULL if there are no statistics, or if no policy has the
-- table.
CREATE OR REPLACE FUNCTION retention._table_rows(p_table text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    -- The cumulative statistics have the number. After a crash and on a standby they are empty, and
    -- the result of the last ANALYZE serves.
    SELECT sum(CASE WHEN pg_stat_get_live_tuples(c.oid) + pg_stat_get_tuples_deleted(c.oid) > 0
                    THEN pg_stat_get_live_tuples(c.oid) ELSE nullif(c.reltuples, -1) END)::bigint
    FROM retention._descendants(retention._resolve_tables(ARRAY[p_table])) b JOIN pg_class c ON c.oid = b
        AND c.relkind = 'r'
    WHERE EXISTS (SELECT FROM retention.policy p WHERE p.table_name = p_table)
$function$;

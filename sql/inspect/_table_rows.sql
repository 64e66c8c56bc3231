-- _table_rows returns how many rows a policy's table has, by the statistics. It waits for no lock
-- and counts nothing. NULL if there are no statistics, and for every table that no policy has.
CREATE OR REPLACE FUNCTION retention._table_rows(p_table text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    -- The cumulative statistics. After a crash, and on a standby, the result of the last ANALYZE.
    SELECT sum(CASE WHEN pg_stat_get_live_tuples(c.oid) + pg_stat_get_tuples_deleted(c.oid) > 0
                    THEN pg_stat_get_live_tuples(c.oid) ELSE nullif(c.reltuples, -1) END)::bigint
    FROM retention._descendants(retention._resolve_tables(ARRAY[p_table])) b JOIN pg_class c ON c.oid = b
        AND c.relkind = 'r'
    WHERE EXISTS (SELECT FROM retention.policy p WHERE p.table_name = p_table)
$function$;

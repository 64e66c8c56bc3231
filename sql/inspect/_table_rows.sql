-- How many rows a policy's table holds, by the statistics, so that no lock is waited for and nothing is counted; NULL
-- where there are none yet, and for any other table, which is nobody's business here.
CREATE OR REPLACE FUNCTION retention._table_rows(p_table text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    -- Counted as they come and go; after a crash or on a standby there is what the last ANALYZE saw.
    SELECT sum(CASE WHEN pg_stat_get_live_tuples(c.oid) + pg_stat_get_tuples_deleted(c.oid) > 0
                    THEN pg_stat_get_live_tuples(c.oid) ELSE nullif(c.reltuples, -1) END)::bigint
    FROM retention._descendants(retention._resolve_tables(ARRAY[p_table])) b JOIN pg_class c ON c.oid = b AND c.relkind = 'r'
    WHERE EXISTS (SELECT FROM retention.policy p WHERE p.table_name = p_table)
$function$;

-- _estimated_rows returns the planner's estimate of a table's rows: the number that ANALYZE or
-- VACUUM found, scaled to the present size. It returns NULL if the table was never analyzed.
CREATE OR REPLACE FUNCTION retention._estimated_rows(p_table oid) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT CASE WHEN bool_or(c.reltuples < 0 AND pg_relation_size(c.oid) > 0) THEN NULL
                ELSE sum(CASE WHEN c.relpages > 0
                              THEN c.reltuples / c.relpages * pg_relation_size(c.oid)
                                   / current_setting('block_size')::bigint
                              ELSE 0 END)::bigint END
    FROM retention._descendants(ARRAY[p_table]) b JOIN pg_class c ON c.oid = b AND c.relkind = 'r'
$function$;

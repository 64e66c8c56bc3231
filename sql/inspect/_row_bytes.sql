-- _row_bytes returns the average size of a row of a table in bytes, with TOAST and free space,
-- without indexes. NULL for a table that was never analyzed, or that is empty.
CREATE OR REPLACE FUNCTION retention._row_bytes(p_table oid) RETURNS double precision
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT sum(pg_table_size(b))::double precision / nullif(retention._estimated_rows(p_table), 0)
    FROM retention._descendants(ARRAY[p_table]) b
$function$;

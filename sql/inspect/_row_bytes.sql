-- _row_bytes returns the average size of a table's row in bytes, with TOAST and free space, but
-- without indexes. It returns NULL for a table that was never analyzed or is empty.
CREATE OR REPLACE FUNCTION retention._row_bytes(p_table oid) RETURNS double precision
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT sum(pg_table_size(b))::double precision / nullif(retention._estimated_rows(p_table), 0)
    FROM retention._descendants(ARRAY[p_table]) b
$function$;

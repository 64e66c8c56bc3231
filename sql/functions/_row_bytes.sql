-- How many bytes a row of a table takes on average, with what is stored apart from it and the space between rows,
-- without indexes. NULL for a table that was never analysed, or holds nothing.
CREATE OR REPLACE FUNCTION retention._row_bytes(p_table oid) RETURNS double precision
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE member AS (
        SELECT p_table AS rel
        UNION ALL SELECT i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.rel
    )
    SELECT sum(pg_table_size(m.rel))::double precision / nullif(retention._estimated_rows(p_table), 0)
    FROM member m
$function$;

-- _is_row_array reports whether the elements of an array type are rows, or domains over row types.
-- unnest() splits such elements into columns.
CREATE OR REPLACE FUNCTION retention._is_row_array(p_array regtype) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE element AS (
        SELECT e.typtype, e.typbasetype FROM pg_type a JOIN pg_type e ON e.oid = a.typelem WHERE a.oid = p_array
        UNION ALL SELECT e.typtype, e.typbasetype FROM element d JOIN pg_type e ON e.oid = d.typbasetype
    )
    SELECT coalesce(bool_or(e.typtype IN ('c', 'p')), false) FROM element e
$function$;

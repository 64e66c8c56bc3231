-- Whether the elements of an array type are rows: a composite type, or a domain over one. They fall apart into
-- columns when the array is unnested.
CREATE OR REPLACE FUNCTION retention._of_rows(p_array regtype) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE element AS (
        SELECT e.typtype, e.typbasetype FROM pg_type a JOIN pg_type e ON e.oid = a.typelem
        WHERE a.oid = p_array
        UNION ALL SELECT e.typtype, e.typbasetype FROM element d JOIN pg_type e ON e.oid = d.typbasetype
    )
    SELECT coalesce(bool_or(e.typtype IN ('c', 'p')), false) FROM element e
$function$;

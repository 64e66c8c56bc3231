-- The columns of a table's primary key in its order, without those that it only INCLUDEs; none without a key.
CREATE OR REPLACE FUNCTION retention._key_columns(p_table oid) RETURNS text[]
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT ARRAY(SELECT a.attname::text
                 FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS u (attnum, n)
                 JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = u.attnum
                 WHERE i.indrelid = p_table AND i.indisprimary AND u.n <= i.indnkeyatts ORDER BY u.n)
$function$;

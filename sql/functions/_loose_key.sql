-- A column of a table's primary key whose type has, or may have, several spellings of equal values; NULL where
-- equal keys are spelled alike.
CREATE OR REPLACE FUNCTION retention._loose_key(p_table oid) RETURNS text
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    WITH RECURSIVE base AS (
        SELECT a.attname, a.atttypid AS oid, a.atttypmod AS modifier, a.attcollation AS collation
        FROM retention._key_columns(p_table) k JOIN pg_attribute a ON a.attrelid = p_table AND a.attnum = k.attnum
        UNION ALL
        SELECT b.attname, y.typbasetype, CASE WHEN b.modifier = -1 THEN y.typtypmod ELSE b.modifier END, b.collation
        FROM base b JOIN pg_type y ON y.oid = b.oid WHERE y.typtype = 'd'
    )
    SELECT b.attname::text
    FROM base b JOIN pg_type y ON y.oid = b.oid
    WHERE y.typtype <> 'd'
      AND NOT ((y.typtype = 'e' OR b.oid = 'numeric'::regtype AND b.modifier > 0 OR b.oid = ANY (
                   '{bool,bytea,"\"char\"",name,int2,int4,int8,text,oid,bpchar,varchar,bit,varbit,inet,cidr,macaddr,macaddr8,
                     date,time,timestamp,timestamptz,uuid,pg_lsn}'::regtype[]))
               AND coalesce((SELECT c.collisdeterministic FROM pg_collation c WHERE c.oid = b.collation), true))
    LIMIT 1
$function$;
REVOKE ALL ON FUNCTION retention._loose_key(oid) FROM PUBLIC;

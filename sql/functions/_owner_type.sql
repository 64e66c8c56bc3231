-- How a value of a table's column is read, for a hold that goes by it: an expression on the text $1. Raises
-- 42703 when there is no such column, and 0A000 for a type with several spellings of one value.
CREATE OR REPLACE FUNCTION retention._owner_type(p_table oid, p_column text) RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_column record;
BEGIN
    WITH RECURSIVE base AS (
        SELECT a.atttypid AS type, a.atttypid AS oid, a.atttypmod AS modifier, a.attcollation AS collation
        FROM pg_attribute a
        WHERE a.attrelid = p_table AND a.attname = p_column AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT b.type, y.typbasetype, CASE WHEN b.modifier = -1 THEN y.typtypmod ELSE b.modifier END, b.collation
        FROM base b JOIN pg_type y ON y.oid = b.oid WHERE y.typtype = 'd'
    )
    SELECT b.type, b.oid, b.modifier,
           (y.typtype = 'e' OR b.oid = ANY ('{bool,bytea,"\"char\"",name,int2,int4,int8,text,oid,float4,float8,bpchar,
               varchar,date,timestamp,timestamptz,numeric,uuid}'::regtype[]))
           AND coalesce((SELECT c.collisdeterministic FROM pg_collation c WHERE c.oid = b.collation), true) AS plain
    INTO v_column
    FROM base b JOIN pg_type y ON y.oid = b.oid WHERE y.typtype <> 'd';
    IF NOT FOUND THEN
        RAISE undefined_column
            USING MESSAGE = format('table "%s" has no column "%s"', retention._table_name(p_table), p_column);
    ELSIF NOT v_column.plain THEN
        RAISE feature_not_supported
            USING MESSAGE = format('column "%s" of type %s cannot tell whose a row is', p_column,
                                   format_type(v_column.type, NULL)),
                  HINT = 'A hold compares one value with another; equal ones of this type may differ in spelling.';
    ELSIF v_column.oid = 'bpchar'::regtype AND v_column.modifier > 0 THEN  -- padded, as in the table
        RETURN format('rpad($1, greatest(length($1), %s))::%s', v_column.modifier - 4, format_type(v_column.type, -1));
    END IF;
    RETURN format('$1::%s', format_type(v_column.type, -1));
END
$function$;
REVOKE ALL ON FUNCTION retention._owner_type(oid, text) FROM PUBLIC;

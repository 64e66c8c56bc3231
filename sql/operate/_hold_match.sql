-- _hold_match returns the values of a hold as the hold stores them. It reads each value with its
-- column's type and the caller's settings, and prints it in a form that does not depend on a
-- session's settings. Raises 42703 if a column does not exist, 0A000 if its type has no equality,
-- and 22023 if the column cannot have such a value.
CREATE OR REPLACE FUNCTION retention._hold_match(p_table oid, p_columns text[], p_given jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_name text; v_column pg_attribute; v_read jsonb; v_match jsonb := '{}';
BEGIN
    FOREACH v_name IN ARRAY p_columns LOOP
        SELECT * INTO v_column FROM pg_attribute a
        WHERE a.attrelid = p_table AND a.attname = v_name AND a.attnum > 0 AND NOT a.attisdropped;
        IF NOT FOUND THEN
            RAISE undefined_column USING MESSAGE = format('table "%s" has no column "%s"',
                retention._table_name(p_table), v_name);
        ELSIF retention._equality_operator(v_column.atttypid) IS NULL THEN
            RAISE feature_not_supported USING
                MESSAGE = format('a hold cannot compare column "%s" of type %s', v_name,
                    format_type(v_column.atttypid, NULL)),
                HINT = 'The type has no equality operator. Hold the rows by another column.';
        END IF;
        v_read := retention._query_as_worker(format(
            'SELECT jsonb_build_array(retention._canonical(x.v), x.v %2$s x.v::%3$s)
             FROM (SELECT ($1 #>> ''{}'')::%1$s AS v OFFSET 0) x', format_type(v_column.atttypid, -1),
            retention._equality_operator(v_column.atttypid), format_type(v_column.atttypid, v_column.atttypmod)),
            to_jsonb(CASE WHEN v_column.atttypid = 'jsonb'::regtype THEN (p_given -> v_name)::text
                     ELSE p_given ->> v_name END));
        IF v_read ->> 1 IS DISTINCT FROM 'true' THEN
            RAISE invalid_parameter_value USING
                MESSAGE = format('no row of "%s" can have %s in column "%s"', retention._table_name(p_table),
                    p_given -> v_name, v_name);
        END IF;
        v_match := v_match || jsonb_build_object(v_name, v_read ->> 0);
    END LOOP;
    RETURN v_match;
END $function$;

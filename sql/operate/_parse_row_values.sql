-- _parse_row_values returns the columns and values by which a caller names rows of a table, as
-- {column: value}. The text is a JSON object of this form, or the value of the table's key. Raises
-- 22023 if it is not such an object, or has no value for a column. Raises 0A000 if it is the value
-- of a key, but the table has no key of one column.
CREATE OR REPLACE FUNCTION retention._parse_row_values(p_table oid, p_match text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_key CONSTANT text[] := retention._key_columns(p_table); v_given jsonb;
    c_hint CONSTANT text := format('Write a JSON object with columns and values: {%s}.', coalesce((
        SELECT string_agg(format('%s: "..."', to_json(k)), ', ' ORDER BY n)
        FROM unnest(v_key) WITH ORDINALITY u (k, n)), '"column": "..."'));
BEGIN
    IF p_match IS NULL THEN
        RAISE invalid_parameter_value USING MESSAGE = 'no values were given', HINT = c_hint;
    ELSIF p_match !~ '^\s*\{' THEN
        IF cardinality(v_key) <> 1 THEN
            RAISE feature_not_supported USING HINT = c_hint, MESSAGE = CASE WHEN v_key = '{}'
                THEN format('table "%s" has no key', retention._table_name(p_table))
                ELSE format('the key of "%s" is (%s)', retention._table_name(p_table),
                    array_to_string(v_key, ', ')) END;
        END IF;
        RETURN jsonb_build_object(v_key[1], p_match);
    END IF;
    BEGIN
        v_given := p_match;
    EXCEPTION WHEN invalid_text_representation THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%L is not a JSON object', p_match), HINT = c_hint;
    END;
    IF v_given = '{}' OR v_given @? '$.* ? (@ == null)' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'each column needs a value', HINT = c_hint;
    END IF;
    RETURN v_given;
END $function$;

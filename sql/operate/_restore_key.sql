-- _restore_key returns the key of the row that a caller of restore() wants, printed like the keys
-- of the archived rows. Raises 22023 if the given columns are not the table's key. Raises 0A000 if
-- the policy also restores rows of other tables, because it is not recorded to which row they
-- belonged.
CREATE OR REPLACE FUNCTION retention._restore_key(p_policy retention.policy, p_match text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_table CONSTANT oid := retention._table(p_policy.table_name);
    v_key CONSTANT text[] := retention._key_columns(v_table);
    v_given CONSTANT jsonb := retention._parse_row_values(v_table, p_match);
BEGIN
    IF EXISTS (SELECT FROM jsonb_array_elements(p_policy.restores) s WHERE s ->> 'table' <> p_policy.table_name) THEN
        RAISE feature_not_supported USING
            MESSAGE = format('policy "%s" keeps rows of several tables, which are restored together', p_policy.name),
            HINT = 'Call retention.restore() without match.';
    ELSIF NOT v_given ?& v_key OR v_given - v_key <> '{}' THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('the key of "%s" is (%s)', p_policy.table_name, array_to_string(v_key, ', '));
    END IF;
    RETURN retention._hold_match(v_table, v_key, v_given);
END $function$;

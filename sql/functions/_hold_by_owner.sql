-- The value of a column whose rows are to be held, as batches compare it, and how many rows have it
-- now. The text is read with the caller's settings. Raises 22023 for anything but one value.
CREATE OR REPLACE FUNCTION retention._hold_by_owner(
    p_table oid, p_column text, p_key text[], OUT value jsonb, OUT rows_held bigint)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $function$
DECLARE
    v_settings jsonb;
BEGIN
    IF cardinality(p_key) IS DISTINCT FROM 1 OR p_key[1] IS NULL THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('a hold by column "%s" takes one value', p_column),
                  HINT = 'Give it as text, as in ARRAY[''42''].';
    END IF;
    -- One statement: the value is read before the settings change, and printed after.
    EXECUTE format(
        'WITH given AS MATERIALIZED (SELECT %s AS value),
              pinned AS MATERIALIZED (SELECT retention._spelling() AS settings FROM given)
         SELECT to_jsonb(g.value), (SELECT count(*) FROM %s t WHERE t.%I = g.value), g.settings
         FROM (SELECT given.*, pinned.settings FROM pinned, given OFFSET 0) g',
        retention._owner_type(p_table, p_column), p_table::regclass, p_column)
    INTO value, rows_held, v_settings USING p_key[1];
    PERFORM retention._spelling(v_settings);
END
$function$;
REVOKE ALL ON FUNCTION retention._hold_by_owner(oid, text, text[]) FROM PUBLIC;

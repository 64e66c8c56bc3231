-- Keeps one row from every policy until the hold is released or runs out. The row is named by its
-- primary key, as text, in the order of the key's columns:
--   SELECT * FROM retention.place_hold('public.messages', ARRAY['42'], 'case 7');
-- Waits for batches under way on this table. rows_held is 0 when there is no such row (any more):
-- the hold stands all the same, for a row that comes later. Lock: none but the table's hold lock.
CREATE OR REPLACE FUNCTION retention.place_hold(
    table_name regclass, key text[], reason text, until timestamptz DEFAULT NULL,
    OUT hold_id bigint, OUT rows_held bigint)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $function$
#variable_conflict use_column
DECLARE
    v_table CONSTANT oid := coalesce(pg_partition_root(place_hold.table_name), place_hold.table_name);
    v_columns text[];
    v_match text;
BEGIN
    SELECT array_agg(a.attname ORDER BY k.ordinality),
           string_agg(format('%I::text = $1[%s]', a.attname, k.ordinality), ' AND ')
    INTO v_columns, v_match
    FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(attnum, ordinality), pg_attribute a
    WHERE i.indrelid = v_table AND i.indisprimary AND a.attrelid = v_table AND a.attnum = k.attnum;
    IF v_columns IS NULL THEN
        RAISE feature_not_supported
            USING MESSAGE = format('table "%s" has no primary key to hold rows by', place_hold.table_name);
    ELSIF cardinality(v_columns) IS DISTINCT FROM cardinality(place_hold.key) THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('the key of "%s" is (%s)', place_hold.table_name,
                                   array_to_string(v_columns, ', ')),
                  HINT = 'Give one text value per column, as in ARRAY[''42''].';
    ELSIF coalesce(place_hold.reason, '') = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a hold needs a reason';
    END IF;
    PERFORM pg_advisory_xact_lock(retention._lock_key('hold', v_table));
    INSERT INTO retention.hold (table_name, key, reason, until)
    VALUES (retention._table_name(v_table), place_hold.key, place_hold.reason, place_hold.until)
    RETURNING id INTO hold_id;
    EXECUTE format('SELECT count(*) FROM %s WHERE %s', v_table::regclass, v_match)
    INTO rows_held USING place_hold.key;
END
$function$;
REVOKE ALL ON FUNCTION retention.place_hold(regclass, text[], text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.place_hold(regclass, text[], text, timestamptz) TO retention_operator;

-- Keeps rows from every policy until the hold is released or runs out: one row, named by its primary
-- key, as text, in the order of the key's columns; or, with "by", all rows that have a value in a column,
-- those that come later included.
--   SELECT * FROM retention.place_hold('public.messages', ARRAY['42'], 'case 7');
--   SELECT * FROM retention.place_hold('public.messages', ARRAY['17'], 'case 8', by => 'sender_id');
-- The text is read with the caller's settings and kept as batches spell it, in the install's time
-- zone. Waits for batches under way on this table. rows_held is 0 when there is no such row (any more):
-- the hold stands all the same, for a row that comes later. Raises 42501 for tables of roles that have
-- nothing to do with any policy. Lock: none but the table's hold lock.
CREATE OR REPLACE FUNCTION retention.place_hold(
    table_name text, key text[], reason text, until timestamptz DEFAULT NULL,
    by text DEFAULT NULL, OUT hold_id bigint, OUT rows_held bigint)
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
DECLARE
    v_table CONSTANT oid := retention._holdable(place_hold.table_name);
    v_key text[];
    v_value jsonb;
BEGIN
    IF coalesce(place_hold.reason, '') = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a hold needs a reason';
    END IF;
    PERFORM pg_advisory_xact_lock(retention._lock_key('hold', v_table));
    IF place_hold.by IS NULL THEN
        SELECT k.key, k.rows_held INTO v_key, rows_held FROM retention._hold_by_key(v_table, place_hold.key) k;
    ELSE
        SELECT o.value, o.rows_held INTO v_value, rows_held
        FROM retention._hold_by_owner(v_table, place_hold.by, place_hold.key) o;
        v_key := ARRAY[v_value #>> '{}'];
    END IF;
    INSERT INTO retention.hold (table_name, key, by_column, by_value, reason, until, row_seen, key_columns)
    VALUES (retention._table_name(v_table), v_key, place_hold.by, v_value, place_hold.reason, place_hold.until,
            rows_held > 0, CASE WHEN place_hold.by IS NULL THEN ARRAY(
                SELECT a.attname::text FROM retention._key_columns(v_table) k
                JOIN pg_attribute a ON a.attrelid = v_table AND a.attnum = k.attnum ORDER BY k.n) END)
    RETURNING id INTO hold_id;
END
$function$;
REVOKE ALL ON FUNCTION retention.place_hold(text, text[], text, timestamptz, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.place_hold(text, text[], text, timestamptz, text) TO retention_operator;

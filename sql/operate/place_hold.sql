-- place_hold keeps rows from every policy until the hold is released or expires. It returns the
-- hold's number. Only operators may call it.
-- match: a JSON object {column: value}, or the value of a key of one column. The hold keeps each
--   row that has these values, now or later. Values are read with the caller's settings and
--   compared by the equality of their types.
-- rows_held: how many rows the hold keeps now. NULL if the worker may not read the table, if the
--   table is distributed, or if the isolation level is not READ COMMITTED.
-- Raises 22023 without a reason, for an "until" in the past, and for a value that no row can have.
-- Raises 42P01, 42703 or 0A000 for a table, column or type that cannot have holds.
-- Locks: retention.hold in EXCLUSIVE mode until the transaction ends. The call waits for batches in
-- progress, and new batches wait for its transaction.
CREATE OR REPLACE FUNCTION retention.place_hold(
    table_name text, match text, reason text, until timestamptz DEFAULT NULL, OUT hold_id bigint, OUT rows_held bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_table CONSTANT oid := retention._hold_target(place_hold.table_name);
    v_given CONSTANT jsonb := retention._parse_row_values(v_table, place_hold.match);
    v_columns CONSTANT text[] := ARRAY(SELECT k FROM jsonb_object_keys(v_given) k ORDER BY k COLLATE "C");
    v_match jsonb; v_terms record;
BEGIN
    IF coalesce(place_hold.reason, '') = '' OR place_hold.until <= clock_timestamp() THEN
        RAISE invalid_parameter_value USING MESSAGE = CASE WHEN place_hold.reason <> ''
            THEN format('until is in the past: %s', place_hold.until) ELSE 'a hold needs a reason' END;
    END IF;
    v_match := retention._hold_match(v_table, v_columns, v_given);
    -- Batches in progress end first, so that the count below sees their changes.
    LOCK TABLE retention.hold IN EXCLUSIVE MODE;
    v_terms := retention._hold_terms(v_table, v_columns);
    BEGIN
        IF current_setting('transaction_isolation') = 'read committed' AND v_table NOT IN (
            SELECT retention._distributed()) THEN
            rows_held := retention._query_as_worker(format(
                'SELECT to_jsonb(count(*)) FROM %s t JOIN (SELECT %s FROM (SELECT $1 AS match) h) h ON %s',
                v_table::regclass, v_terms."values", v_terms.equal), v_match);
        END IF;
    EXCEPTION WHEN insufficient_privilege THEN
        NULL;  -- the worker lacks SELECT on a table that no policy reads
    END;
    INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match, reason, until, row_seen)
    SELECT c.table_name, v_table, v_columns, c.attnums, c.types, v_match, place_hold.reason, place_hold.until,
        coalesce(rows_held > 0, false)
    FROM retention._held_columns(v_table, v_columns, v_match) c
    RETURNING id INTO hold_id;
END $function$;

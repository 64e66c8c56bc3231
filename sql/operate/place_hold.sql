-- Keeps rows from every policy until the hold is released or runs out: those of a table with certain values in certain
-- columns, {column: value}, now or later, or the one with a key of one column. rows_held is 0 when there is none yet,
-- and NULL where the worker may not read the table, its rows are on several servers, or another isolation shows others.
-- Values are read with the caller's settings and compared as values. Waits for batches under way (EXCLUSIVE).
CREATE OR REPLACE FUNCTION retention.place_hold(
    table_name text, match text, reason text, until timestamptz DEFAULT NULL, OUT hold_id bigint, OUT rows_held bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_table CONSTANT oid := retention._hold_target(place_hold.table_name);
    v_given CONSTANT jsonb := retention._parse_hold_values(v_table, place_hold.match);
    v_columns CONSTANT text[] := ARRAY(SELECT k FROM jsonb_object_keys(v_given) k ORDER BY k COLLATE "C");
    v_match jsonb; v_terms record;
BEGIN
    IF coalesce(place_hold.reason, '') = '' OR place_hold.until <= clock_timestamp() THEN
        RAISE invalid_parameter_value USING MESSAGE = CASE WHEN place_hold.reason <> ''
            THEN format('until %s is over', place_hold.until) ELSE 'a hold needs a reason' END;
    END IF;
    v_match := retention._hold_match(v_table, v_columns, v_given);
    LOCK TABLE retention.hold IN EXCLUSIVE MODE;  -- what batches under way do, the count below is to see
    v_terms := retention._hold_terms(v_table, v_columns);
    BEGIN
        IF current_setting('transaction_isolation') = 'read committed' AND v_table NOT IN (
            SELECT retention._distributed()) THEN
            rows_held := retention._query_as_worker(format(
                'SELECT to_jsonb(count(*)) FROM %s t JOIN (SELECT %s FROM (SELECT $1 AS match) h) h ON %s',
                v_table::regclass, v_terms."values", v_terms.equal), v_match);
        END IF;
    EXCEPTION WHEN insufficient_privilege THEN
        NULL;  -- a table that no policy reads: the worker may not
    END;
    INSERT INTO retention.hold (table_name, rel, columns, attnums, types, match, reason, until, row_seen)
    SELECT c.table_name, v_table, v_columns, c.attnums, c.types, v_match, place_hold.reason, place_hold.until,
        coalesce(rows_held > 0, false)
    FROM retention._held_columns(v_table, v_columns, v_match) c
    RETURNING id INTO hold_id;
END $function$;

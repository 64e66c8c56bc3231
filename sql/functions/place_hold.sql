-- Keeps one row from every policy until the hold is released or runs out. The row is named by its
-- primary key, as text, in the order of the key's columns:
--   SELECT * FROM retention.place_hold('public.messages', ARRAY['42'], 'case 7');
-- The text is read with the caller's settings and kept as batches spell it, in the install's time
-- zone. Waits for batches under way on this table. rows_held is 0 when there is no such row (any more):
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
    v_given text;
    v_match text;
    v_row_key text;
    v_given_key text;
    v_zone CONSTANT text := current_setting('TimeZone');
    v_date_style CONSTANT text := current_setting('DateStyle');
    v_interval_style CONSTANT text := current_setting('IntervalStyle');
BEGIN
    SELECT array_agg(a.attname ORDER BY k.ordinality),
           string_agg(format('($1[%s])::%s AS c%s', k.ordinality, format_type(a.atttypid, -1), k.ordinality), ', '),
           string_agg(format(CASE WHEN y.typnamespace = 'pg_catalog'::regnamespace
                                  THEN 't.%1$I = g.c%2$s' ELSE 't.%1$I::text = g.c%2$s::text' END,
                             a.attname, k.ordinality), ' AND '),
           string_agg(format('t.%I::text', a.attname), ', ' ORDER BY k.ordinality),
           string_agg(format('g.c%s::text', k.ordinality), ', ' ORDER BY k.ordinality)
    INTO v_columns, v_given, v_match, v_row_key, v_given_key
    FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(attnum, ordinality),
         pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
    WHERE i.indrelid = v_table AND i.indisprimary AND a.attrelid = v_table AND a.attnum = k.attnum;
    IF v_columns IS NULL THEN
        RAISE feature_not_supported
            USING MESSAGE = format('table "%s" has no primary key to hold rows by', place_hold.table_name);
    ELSIF cardinality(v_columns) IS DISTINCT FROM cardinality(place_hold.key)
          OR array_position(place_hold.key, NULL) IS NOT NULL THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('the key of "%s" is (%s)', place_hold.table_name,
                                   array_to_string(v_columns, ', ')),
                  HINT = 'Give one text value per column, as in ARRAY[''42''].';
    ELSIF coalesce(place_hold.reason, '') = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'a hold needs a reason';
    END IF;
    PERFORM pg_advisory_xact_lock(retention._lock_key('hold', v_table));
    -- One statement: the values are read before the settings change, and printed after.
    EXECUTE format(
        'WITH given AS MATERIALIZED (SELECT %s), pinned AS MATERIALIZED (
             SELECT set_config(''TimeZone'', i.time_zone, true), set_config(''DateStyle'', ''ISO, YMD'', true),
                    set_config(''IntervalStyle'', ''postgres'', true)
             FROM given, retention.install i)
         SELECT coalesce(r.key, ARRAY[%s]), (r.key IS NOT NULL)::integer
         FROM (SELECT given.* FROM pinned, given OFFSET 0) g
         LEFT JOIN LATERAL (SELECT ARRAY[%s] AS key FROM %s t WHERE %s LIMIT 1) r ON true',
        v_given, v_given_key, v_row_key, v_table::regclass, v_match)
    INTO place_hold.key, rows_held USING place_hold.key;
    PERFORM set_config('TimeZone', v_zone, true), set_config('DateStyle', v_date_style, true),
            set_config('IntervalStyle', v_interval_style, true);
    INSERT INTO retention.hold (table_name, key, reason, until)
    VALUES (retention._table_name(v_table), place_hold.key, place_hold.reason, place_hold.until)
    RETURNING id INTO hold_id;
END
$function$;
REVOKE ALL ON FUNCTION retention.place_hold(regclass, text[], text, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.place_hold(regclass, text[], text, timestamptz) TO retention_operator;

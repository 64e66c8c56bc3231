-- The key of a row to hold, as batches spell it, and whether there is such a row. The text is read with
-- the caller's settings. Raises 0A000 for a table without a key, 22023 for a key that is not its, and for one
-- of no row, where a row that comes later could have it in another spelling (_loose_key) or never could.
CREATE OR REPLACE FUNCTION retention._hold_by_key(
    p_table oid, p_key text[], OUT key text[], OUT rows_held bigint)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET row_security = off
AS $function$
DECLARE
    v_columns text[];
    v_given text;
    v_match text;
    v_row_key text;
    v_given_key text;
    v_fit text;
    v_fits boolean;
    v_settings jsonb;
BEGIN
    SELECT array_agg(a.attname ORDER BY k.n),
           string_agg(format('($1[%s])::%s AS c%s', k.n, format_type(a.atttypid, -1), k.n), ', '),
           string_agg(format(CASE WHEN y.typnamespace = 'pg_catalog'::regnamespace
                                  THEN 't.%1$I = g.c%2$s' ELSE 't.%1$I::text = g.c%2$s::text' END,
                             a.attname, k.n), ' AND '),
           string_agg(format('t.%I::text', a.attname), ', ' ORDER BY k.n),
           string_agg(format('g.c%s::%s::text', k.n, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY k.n),
           string_agg(format(CASE WHEN y.typnamespace = 'pg_catalog'::regnamespace THEN 'g.c%1$s = g.c%1$s::%2$s' ELSE 'true' END,
                             k.n, format_type(a.atttypid, a.atttypmod)), ' AND ')
    INTO v_columns, v_given, v_match, v_row_key, v_given_key, v_fit
    FROM retention._key_columns(p_table) k
    JOIN pg_attribute a ON a.attrelid = p_table AND a.attnum = k.attnum
    JOIN pg_type y ON y.oid = a.atttypid;
    IF v_columns IS NULL THEN
        RAISE feature_not_supported
            USING MESSAGE = format('table "%s" has no primary key to hold rows by', retention._table_name(p_table)),
                  HINT = 'Hold its rows by a column: by => ''owner_id''.';
    ELSIF cardinality(v_columns) IS DISTINCT FROM cardinality(p_key) OR array_position(p_key, NULL) IS NOT NULL THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('the key of "%s" is (%s)', retention._table_name(p_table),
                                   array_to_string(v_columns, ', ')),
                  HINT = 'Give one text value per column, as in ARRAY[''42''].';
    END IF;
    -- One statement: the values are read before the settings change, and printed after.
    EXECUTE format(
        'WITH given AS MATERIALIZED (SELECT %s),
              pinned AS MATERIALIZED (SELECT retention._spelling() AS settings FROM given)
         SELECT coalesce(r.key, ARRAY[%s]), (r.key IS NOT NULL)::integer, g.settings,
                CASE WHEN r.key IS NULL THEN %s ELSE true END
         FROM (SELECT given.*, pinned.settings FROM pinned, given OFFSET 0) g
         LEFT JOIN LATERAL (SELECT ARRAY[%s] AS key FROM %s t WHERE %s LIMIT 1) r ON true',
        v_given, v_given_key, v_fit, v_row_key, p_table::regclass, v_match)
    INTO key, rows_held, v_settings, v_fits USING p_key;
    PERFORM retention._spelling(v_settings);
    IF v_fits IS NOT TRUE THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('no row of "%s" can have the key (%s)', retention._table_name(p_table), array_to_string(p_key, ', '));
    ELSIF rows_held = 0 AND retention._loose_key(p_table) IS NOT NULL THEN
        RAISE invalid_parameter_value USING
            MESSAGE = format('there is no row (%s) in "%s", and one that comes may spell it otherwise: its column "%s" has '
                             'several spellings of one value', array_to_string(p_key, ', '), retention._table_name(p_table), retention._loose_key(p_table)),
            HINT = 'Place the hold when the row is there, or hold by another column (by => ...).';
    END IF;
END
$function$;
REVOKE ALL ON FUNCTION retention._hold_by_key(oid, text[]) FROM PUBLIC;

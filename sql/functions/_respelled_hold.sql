-- A hold in force by a key that its table's primary key would not print like that any more, because it has
-- other columns or types: in a sentence, NULL for none. No row meets it. Looks at the p_limit newest holds of
-- each table.
CREATE OR REPLACE FUNCTION retention._respelled_hold(p_tables text[], p_as_of timestamptz, p_limit bigint)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET timezone = 'UTC'
SET datestyle = 'ISO, YMD'
SET intervalstyle = 'postgres'
SET bytea_output = 'hex'
SET extra_float_digits = 1
AS $function$
DECLARE
    v_name text;
    v_other text;
    v_hold bigint;
    v_key text[];
BEGIN
    PERFORM set_config('timezone', i.time_zone, true) FROM retention.install i;  -- as batches spell keys
    FOR v_name IN
        SELECT DISTINCT x.name FROM unnest(p_tables) x (name)
        WHERE EXISTS (SELECT FROM retention.hold h WHERE h.table_name = x.name AND h.released_at IS NULL)
    LOOP
        SELECT format('SELECT h.id, h.key FROM (
                           SELECT n.id, n.key FROM retention.hold n
                           WHERE n.table_name = $1 AND n.by_column IS NULL AND n.released_at IS NULL
                             AND (n.until IS NULL OR n.until > $2)
                           ORDER BY n.id DESC LIMIT $3) h
                       WHERE (cardinality(h.key) = %s%s) IS NOT TRUE LIMIT 1', count(*),
                      string_agg(format(' AND (h.key[%1$s])::%2$s::text = h.key[%1$s]', u.n, format_type(
                          a.atttypid, CASE WHEN a.atttypid NOT IN ('varchar'::regtype, 'bpchar'::regtype) THEN a.atttypmod ELSE -1 END)), ''))
        INTO v_other
        FROM retention._key_columns(retention._table(v_name)) u
        JOIN pg_attribute a ON a.attrelid = retention._table(v_name) AND a.attnum = u.attnum;
        BEGIN
            EXECUTE v_other INTO v_hold, v_key USING v_name, p_as_of, p_limit;
        EXCEPTION WHEN OTHERS THEN  -- a key is no value of the type
            RETURN format('a hold on table "%s" goes by a key that the table''s primary key cannot be any more (%s): '
                          'hold the rows once more, then release the hold', v_name, SQLERRM);
        END;
        IF v_hold IS NOT NULL THEN
            RETURN format('hold %s goes by the key (%s), as which the primary key of table "%s" prints no row any more: '
                          'hold the row once more, then release this hold', v_hold, array_to_string(v_key, ', '), v_name);
        END IF;
    END LOOP;
    RETURN NULL;
END
$function$;
REVOKE ALL ON FUNCTION retention._respelled_hold(text[], timestamptz, bigint) FROM PUBLIC;

-- Refuses to go on where a table has columns that a copy of its rows, made for the columns it had, leaves
-- behind. Asked after the copy, whose locks keep the columns as they are.
CREATE OR REPLACE FUNCTION retention._known_columns(p_table text, p_known text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_unknown CONSTANT text := (
        SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = p_table::regclass AND a.attnum > 0 AND NOT a.attisdropped
          AND a.attname <> ALL (p_known));
BEGIN
    IF v_unknown IS NOT NULL THEN
        RAISE undefined_column USING
            MESSAGE = format('table %s has a column that its archive step does not know: %s', p_table, v_unknown),
            HINT = 'Run "pgretain snapshot", then "pgretain generate", and apply the migration: '
                   'nothing is archived without it.';
    END IF;
END $function$;

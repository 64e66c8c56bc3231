-- Refuses to go on where columns by which a step finds rows again are not unique any more: it would take others too.
-- Asked while the table is locked, so that its indexes stay as they are.
CREATE OR REPLACE FUNCTION retention._unique_key(p_table text, p_key text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index i
        WHERE i.indrelid = p_table::regclass AND (i.indisunique OR i.indisprimary) AND i.indisvalid
          AND i.indpred IS NULL AND i.indexprs IS NULL
          AND ARRAY(SELECT a.attname::text
                    FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, n)
                    JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
                    WHERE k.n <= i.indnkeyatts) <@ p_key) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('the rows of table %s are found by (%s), which is not unique any more', p_table,
                array_to_string(p_key, ', ')),
            HINT = 'Make it the primary key again, or run "pgretain snapshot", then "pgretain generate", '
                   'and apply the migration.';
    END IF;
END $function$;

-- _record_index records the definition of an index that was just built. If the index is not valid,
-- it raises 55000 and names the partitions without a valid index.
CREATE OR REPLACE FUNCTION retention._record_index(p_schema text, p_index text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_definition text; v_lacking text;
BEGIN
    SELECT pg_get_indexdef(i.indexrelid) INTO v_definition
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = p_schema AND c.relname = p_index AND i.indisvalid AND i.indisready;
    IF v_definition IS NULL THEN
        SELECT string_agg(p.relid::text, ', ' ORDER BY p.relid::text) INTO v_lacking
        FROM pg_index i CROSS JOIN LATERAL pg_partition_tree(i.indrelid) p
        WHERE i.indexrelid = to_regclass(format('%I.%I', p_schema, p_index)) AND p.isleaf AND p.relid <> i.indrelid
          AND NOT EXISTS (
              SELECT FROM pg_partition_tree(i.indexrelid) t JOIN pg_index s ON s.indexrelid = t.relid
              WHERE s.indrelid = p.relid AND s.indisvalid);
        RAISE object_not_in_prerequisite_state USING MESSAGE = format('index "%s" is missing or not valid', p_index),
                  DETAIL = coalesce('Partitions without it: ' || v_lacking || '.', ''),
                  HINT = CASE WHEN v_lacking IS NULL THEN 'Migrate again: the migration repairs it.'
                      ELSE 'The migration does not know these partitions, and builds the index '
                           'for 64 MB of such tables at a time: migrate again. On a larger one build it '
                           'CONCURRENTLY, run ALTER INDEX ... ATTACH PARTITION, '
                           'then migrate again.' END;
    END IF;
    INSERT INTO retention.index_definition (schema_name, index_name, definition)
    VALUES (p_schema, p_index, v_definition)
    ON CONFLICT (schema_name, index_name) DO UPDATE
    SET definition = excluded.definition, built_at = clock_timestamp();
END $function$;

-- _attach_index attaches a partition's index to the index of the partitioned table. It does nothing
-- if the partition was dropped or detached. It runs with the privileges of its caller.
CREATE OR REPLACE FUNCTION retention._attach_index(
    p_schema text, p_index text, p_partition_schema text, p_partition_index text) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $function$
BEGIN
    IF EXISTS (
        SELECT FROM pg_index p JOIN pg_inherits h ON h.inhparent = p.indrelid JOIN pg_index c ON c.indrelid = h.inhrelid
        WHERE p.indexrelid = to_regclass(format('%I.%I', p_schema, p_index))
          AND c.indexrelid = to_regclass(format('%I.%I', p_partition_schema, p_partition_index))) THEN
        EXECUTE format('ALTER INDEX %I.%I ATTACH PARTITION %I.%I', p_schema, p_index, p_partition_schema,
            p_partition_index);
    END IF;
END $function$;

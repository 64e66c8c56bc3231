-- _index_target_path returns the search_path for the next statement, which indexes a partition by
-- its unqualified name. In this search_path the name means the partition. If the partition was
-- dropped or detached, the name means an empty temporary table instead. It runs with the privileges
-- of its caller.
CREATE OR REPLACE FUNCTION retention._index_target_path(p_schema text, p_table text, p_like text) RETURNS text
LANGUAGE plpgsql SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF EXISTS (SELECT FROM pg_partition_tree(to_regclass(p_like)) t
               WHERE t.relid = to_regclass(format('%I.%I', p_schema, p_table))) THEN
        RETURN format('pg_catalog, %I, %s', p_schema, current_setting('pgretain.search_path'));
    END IF;
    EXECUTE format('CREATE TEMPORARY TABLE IF NOT EXISTS %I (LIKE %s)', p_table, p_like);
    RETURN 'pg_catalog, pg_temp, ' || current_setting('pgretain.search_path');
END $function$;

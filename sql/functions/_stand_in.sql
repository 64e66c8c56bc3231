-- Before an index is built on a partition: where that is gone, or is not made yet in this database, an empty
-- temporary table with its name takes its place, so that the next statement has something to index. Runs with
-- the caller's rights.
CREATE OR REPLACE FUNCTION retention._stand_in(p_schema text, p_table text, p_like text) RETURNS void
LANGUAGE plpgsql SECURITY INVOKER
SET search_path = pg_catalog, pg_temp
AS $function$
BEGIN
    IF to_regclass(format('%I.%I', p_schema, p_table)) IS NULL THEN
        EXECUTE format('CREATE TEMPORARY TABLE IF NOT EXISTS %I (LIKE %s)', p_table, p_like);
    END IF;
END
$function$;
REVOKE ALL ON FUNCTION retention._stand_in(text, text, text) FROM PUBLIC;

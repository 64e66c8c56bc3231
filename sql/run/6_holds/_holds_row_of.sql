-- Whether a table that is to be dropped has a held row, or nobody can tell: by a hold on it or on p_kin, whose rows its
-- rows are, or on a partitioned table of which it may have been a partition.
CREATE OR REPLACE FUNCTION retention._holds_row_of(p_table oid, p_kin oid[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE
    v_held boolean := retention._unfit_hold(p_kin, clock_timestamp()) IS NOT NULL;
    v_query CONSTANT text := retention._held_query(
        format('SELECT 1 FROM %s t', p_table::regclass), p_table, p_kin, clock_timestamp(), true);
BEGIN
    IF v_held OR v_query IS NULL THEN
        RETURN v_held;
    ELSIF NOT has_table_privilege(p_table, 'SELECT')
       OR NOT has_schema_privilege((SELECT c.relnamespace FROM pg_class c WHERE c.oid = p_table), 'USAGE') THEN
        RETURN true;
    END IF;
    EXECUTE format('SELECT EXISTS (%s)', v_query) INTO v_held;
    RETURN v_held;
END $function$;

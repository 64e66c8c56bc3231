-- Whether a partition has a held row, or nobody can tell. Rows that refer to it keep it by themselves. It is read
-- through its root, where rights are, by its own bounds.
CREATE OR REPLACE FUNCTION retention._held_partition(p_partition oid, p_as_of timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE
    v_root CONSTANT oid := coalesce(pg_partition_root(p_partition), p_partition);
    v_held boolean := retention._unfit_hold(ARRAY[v_root], p_as_of) IS NOT NULL;
    v_query CONSTANT text := retention._held_query(
        format('SELECT 1 FROM (SELECT * FROM %s WHERE %s) t', v_root::regclass,
            coalesce(pg_get_partition_constraintdef(p_partition), 'true')), v_root, ARRAY[v_root], p_as_of);
BEGIN
    IF NOT v_held AND v_query IS NOT NULL THEN
        v_held := retention._look(format('SELECT to_jsonb(EXISTS (%s))', v_query));
    END IF;
    RETURN v_held;
END $function$;

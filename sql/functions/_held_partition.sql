-- Whether a partition has a held row, or nobody can tell. Rows that refer to it keep it by themselves. It is read
-- through its root, where rights are, by its own bounds.
CREATE OR REPLACE FUNCTION retention._held_partition(p_partition oid, p_as_of timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE
    v_root CONSTANT oid := coalesce(pg_partition_root(p_partition), p_partition);
    v_columns text[]; v_terms record;
    v_held boolean := retention._unfit_hold(ARRAY[v_root], p_as_of) IS NOT NULL;
BEGIN
    FOR v_columns IN
        SELECT DISTINCT h.columns FROM retention.hold h
        WHERE NOT v_held AND h.rel = v_root AND h.released_at IS NULL AND (h.until IS NULL OR h.until > p_as_of)
    LOOP
        v_terms := retention._hold_terms(v_root, v_columns);
        v_held := retention._look(format(
            'SELECT to_jsonb(EXISTS (SELECT FROM (SELECT * FROM %s WHERE %s) t
                 JOIN (SELECT %s FROM retention.hold h WHERE h.rel = %s AND h.columns = %L::text[]
                     AND h.released_at IS NULL AND (h.until IS NULL OR h.until > ($1 #>> ''{}'')::timestamptz)
                     OFFSET 0) h ON %s))', v_root::regclass,
            coalesce(pg_get_partition_constraintdef(p_partition), 'true'), v_terms."values", v_root, v_columns,
            v_terms.equal), to_jsonb(p_as_of));
        EXIT WHEN v_held;
    END LOOP;
    RETURN v_held;
END $function$;

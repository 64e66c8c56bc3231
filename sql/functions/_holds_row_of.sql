-- Whether a table that is to be dropped has a held row, or nobody can tell: by a hold on it or on p_kin, whose rows its
-- rows are, or on a partitioned table of which it may have been a partition, having such columns.
CREATE OR REPLACE FUNCTION retention._holds_row_of(p_table oid, p_kin oid[]) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE
    v_hold record; v_terms record;
    v_held boolean := retention._unfit_hold(p_kin, clock_timestamp()) IS NOT NULL;
BEGIN
    FOR v_hold IN
        SELECT h.rel, h.columns FROM retention.hold h JOIN pg_class c ON c.oid = h.rel
        WHERE NOT v_held AND h.released_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp())
          AND (h.rel = ANY (p_kin) OR c.relkind = 'p'
              AND h.types = (retention._held_columns(p_table, h.columns, h.match)).types)
        GROUP BY h.rel, h.columns
    LOOP
        IF NOT has_table_privilege(p_table, 'SELECT')
           OR NOT has_schema_privilege((SELECT c.relnamespace FROM pg_class c WHERE c.oid = p_table), 'USAGE') THEN
            RETURN true;
        END IF;
        v_terms := retention._hold_terms(p_table, v_hold.columns);
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %s t JOIN (SELECT %s FROM retention.hold h WHERE h.rel = $1 AND h.columns = $2
                                AND h.released_at IS NULL
                                  AND (h.until IS NULL OR h.until > clock_timestamp()) OFFSET 0) h ON %s)',
            p_table::regclass, v_terms."values", v_terms.equal)
        INTO v_held USING v_hold.rel, v_hold.columns;
        EXIT WHEN v_held;
    END LOOP;
    RETURN v_held;
END $function$;

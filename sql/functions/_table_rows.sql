-- How many rows a policy's table holds: exact up to a million, estimated above. NULL for any other table,
-- which is nobody's business here.
CREATE OR REPLACE FUNCTION retention._table_rows(p_table text) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS $function$
DECLARE v_rows bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM retention.policy p WHERE p.table_name = p_table) THEN RETURN NULL; END IF;
    v_rows := retention._estimated_rows(retention._table(p_table));
    IF v_rows IS NULL OR v_rows < 1000000 THEN
        v_rows := retention._look(format('SELECT to_jsonb(count(*)) FROM %s', retention._table(p_table)::regclass));
    END IF;
    RETURN v_rows;
EXCEPTION WHEN undefined_table THEN RETURN NULL;
END $function$;

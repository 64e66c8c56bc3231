-- _rows_call returns the call of <policy>_rows for a FROM clause, under the alias d.
-- p_argument: SQL of the argument
-- For a policy on rows, <policy>_rows returns records, and the call names their columns and types.
-- The function does not depend on the table, so the application can drop the table. Raises 42P01
-- if the table does not exist.
CREATE OR REPLACE FUNCTION retention._rows_call(p_policy retention.policy, p_argument text DEFAULT '$1') RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN format('retention.%I(%s) d', p_policy.name || '_rows', p_argument) || CASE WHEN p_policy.partitions THEN ''
        ELSE format(' (rel oid, tid tid, t %s, verdict text)', retention._table(p_policy.table_name)::regclass) END;
END $function$;

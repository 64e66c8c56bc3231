-- _default_rows returns how many rows of a DEFAULT partition are older than the window of a policy
-- on partitions. Such rows are never due. It counts them as the worker, through the partitioned
-- table, for "pgretain verify". The count stops at p_max.
-- It returns no row in these cases:
-- - There is no DEFAULT partition, or no row in it is so old.
-- - The table is not partitioned by range over a column of type date or timestamp.
-- - There is no window.
-- p_window: the window of the policy file. A window that was set at run time has precedence.
-- name: the DEFAULT partition
CREATE OR REPLACE FUNCTION retention._default_rows(
    p_policy text, p_as_of timestamptz, p_window interval, p_max bigint, OUT name text, OUT rows bigint)
RETURNS SETOF record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(p_policy);
    v_key record;
BEGIN
    SELECT k.partrelid::regclass AS above, k.partdefid AS rel, a.attname, format_type(a.atttypid, NULL) AS type,
           retention._cutoff(p_as_of, coalesce(retention.window_of(p_policy), p_window), i.time_zone) AS cutoff
    INTO v_key
    FROM pg_partitioned_table k JOIN pg_attribute a ON a.attrelid = k.partrelid AND a.attnum = k.partattrs[0]
    CROSS JOIN retention.install i
    WHERE v_policy.partitions AND k.partrelid = ANY (retention._resolve_tables(ARRAY[v_policy.table_name]))
      AND k.partstrat = 'r' AND k.partdefid <> 0
      AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype);
    IF v_key.cutoff IS NOT NULL THEN
        name := v_key.rel::regclass;
        rows := (SELECT l::bigint FROM retention._query_as_worker(format(
            'SELECT to_jsonb(count(*)) FROM (SELECT FROM %s t WHERE t.tableoid = %s AND t.%I < %L::timestamptz::%s '
            'LIMIT %s) x', v_key.above, v_key.rel, v_key.attname, v_key.cutoff, v_key.type, p_max), NULL, p_policy) l);
        IF rows > 0 THEN RETURN NEXT; END IF;
    END IF;
END $function$;

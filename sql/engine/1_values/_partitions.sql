-- _partitions returns the partitions of a policy on partitions, with their bounds as text. The
-- table is partitioned BY RANGE, or BY LIST into tables that are partitioned BY RANGE. It leaves
-- out the DEFAULT partition. It reads only the catalog and locks no table.
-- p_by_list: true if the partitions are those of a table partitioned BY LIST. Their value is both
--   bounds.
-- p_keys: the columns and types of the partition keys for which the policy was generated
-- detaching: true if DETACH CONCURRENTLY has not finished
-- Raises 0A000 for bounds of several columns, for several values in a list, and if the partition
-- keys are not p_keys.
CREATE OR REPLACE FUNCTION retention._partitions(p_table oid, p_by_list boolean, p_keys text[])
RETURNS TABLE (
    rel oid, above oid, "schema" text, name text, parent text, value text, lower text, upper text, detaching boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO, YMD'
SET extra_float_digits = 1 SET quote_all_identifiers = off SET join_collapse_limit = 1
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $function$
DECLARE
    -- One value, as PostgreSQL prints it. A table may have thousands of partitions, and one regular
    -- expression for all parts of a bound takes ten times as long.
    c_value CONSTANT text := '^(?:''[^'']*''|[-+.0-9eE]+|true|false)$';
    c_by CONSTANT "char" := CASE WHEN p_by_list THEN 'l' ELSE 'r' END;
    v_above oid[] := ARRAY[p_table]; v_row record;
BEGIN
    IF NOT p_by_list AND EXISTS (SELECT FROM pg_partitioned_table k WHERE k.partrelid = p_table AND k.partstrat = 'l')
    THEN
        v_above := ARRAY(SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = p_table AND NOT i.inhdetachpending);
    END IF;
    FOR v_row IN
        WITH above AS MATERIALIZED (
            SELECT c.oid, n.nspname || '.' || c.relname AS parent, x.list,
                   substr(x.list, length('FOR VALUES IN (') + 1, length(x.list) - length('FOR VALUES IN ()')) AS value,
                   o.opcdefault AND p_keys = ARRAY(
                       SELECT y.attname || ' ' || format_type(y.atttypid, y.atttypmod) FROM pg_partitioned_table z
                       JOIN pg_attribute y ON y.attrelid = z.partrelid AND y.attnum = z.partattrs[0]
                       WHERE z.partrelid IN (p_table, c.oid) ORDER BY z.partrelid <> p_table) AS known
            FROM unnest(v_above) a (oid) JOIN pg_partitioned_table k ON k.partrelid = a.oid AND k.partstrat = c_by
            JOIN pg_opclass o ON o.oid = k.partclass[0] JOIN pg_class c ON c.oid = k.partrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL (
                SELECT CASE WHEN c.oid <> p_table THEN pg_get_expr(c.relpartbound, 0) END AS list) x
            WHERE x.list IS DISTINCT FROM 'DEFAULT'
        )
        SELECT c.oid, n.nspname, c.relname, a.oid AS above, a.parent, a.list, a.value, x.bound, a.known,
               i.inhdetachpending AS pending, CASE WHEN p_by_list
                   THEN substr(x.bound, length('FOR VALUES IN (') + 1, length(x.bound) - length('FOR VALUES IN ()'))
                   ELSE substr(split_part(s.bound, ') TO (', 1), length('FOR VALUES FROM (') + 1) END AS lower,
               CASE WHEN NOT p_by_list THEN rtrim(split_part(s.bound, ') TO (', 2), ')') END AS upper
        FROM above a JOIN pg_inherits i ON i.inhparent = a.oid
        JOIN pg_class c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = c.relnamespace
        CROSS JOIN LATERAL (SELECT concat(pg_get_expr(c.relpartbound, 0), CASE WHEN p_by_list AND c.relkind = 'p'
            AND EXISTS (SELECT FROM pg_partitioned_table b WHERE b.partrelid = c.oid AND b.partstrat = 'r')
            THEN ' over ranges' END) AS bound OFFSET 0) x
        -- Further columns must be MINVALUE.
        CROSS JOIN LATERAL (SELECT replace(x.bound, ', MINVALUE', '') AS bound) s WHERE x.bound <> 'DEFAULT'
    LOOP
        IF v_row.lower LIKE 'MINVALUE%' THEN v_row.lower := NULL; END IF;
        IF v_row.upper LIKE 'MAXVALUE%' THEN v_row.upper := NULL; END IF;
        IF NOT v_row.known OR (v_row.lower ~ c_value AND v_row.upper ~ c_value AND v_row.value ~ c_value) IS FALSE THEN
            RAISE feature_not_supported USING
                MESSAGE = format('partition "%s.%s" has bounds that a policy on partitions cannot read: %s',
                                 v_row.nspname, v_row.relname, concat_ws(', ', v_row.list, v_row.bound)),
                HINT = 'Bounds must be values of one column, in its usual order, further columns MINVALUE; a list '
                       'must have one value, not NULL; and columns and ranges are those of the catalog snapshot.';
        END IF;
        rel := v_row.oid; above := v_row.above; "schema" := v_row.nspname; name := v_row.relname;
        parent := v_row.parent; value := btrim(v_row.value, ''''); lower := btrim(v_row.lower, '''');
        upper := btrim(CASE WHEN p_by_list THEN v_row.lower ELSE v_row.upper END, '''');
        detaching := v_row.pending;
        RETURN NEXT;
    END LOOP;
END $function$;

-- _partitions returns the partitions of a policy on partitions, with their bounds as text. The
-- table is partitioned BY RANGE, or BY LIST into tables that are partitioned BY RANGE. It leaves
-- out the DEFAULT partition.
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
SET extra_float_digits = 1 SET quote_all_identifiers = off SET join_collapse_limit = 1 AS $function$
DECLARE
    c_one CONSTANT text := '(?:''([^'']*)''|([-+.0-9eE]+|true|false))';
    c_list CONSTANT text := '^FOR VALUES IN \(' || c_one || '\)$';
    c_bounds CONSTANT text := CASE WHEN p_by_list THEN c_list ELSE '^FOR VALUES FROM \((?:' || c_one
        || '|MINVALUE)(?:, MINVALUE)*\) TO \((?:' || c_one || '(?:, MINVALUE)*|MAXVALUE(?:, MAXVALUE)*)\)$' END;
    c_by CONSTANT "char" := CASE WHEN p_by_list THEN 'l' ELSE 'r' END; v_row record; v_list text[]; v_bounds text[];
BEGIN
    FOR v_row IN
        WITH above AS (
            SELECT k.partrelid AS oid, NULL AS list
            FROM pg_partitioned_table k WHERE k.partrelid = p_table AND k.partstrat = c_by
            UNION ALL SELECT c.oid, x.bound FROM pg_partitioned_table k
            JOIN pg_inherits i ON i.inhparent = k.partrelid AND NOT i.inhdetachpending
            JOIN pg_class c ON c.oid = i.inhrelid AND c.relkind = 'p'
            CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) x
            WHERE k.partrelid = p_table AND k.partstrat = 'l' AND NOT p_by_list AND x.bound <> 'DEFAULT'
        )
        SELECT c.oid, n.nspname, c.relname, a.oid AS above, an.nspname || '.' || ac.relname AS parent,
               a.list, x.bound, i.inhdetachpending AS pending,
               o.opcdefault AND p_keys = ARRAY(
                   SELECT y.attname || ' ' || format_type(y.atttypid, y.atttypmod) FROM pg_partitioned_table z
                   JOIN pg_attribute y ON y.attrelid = z.partrelid AND y.attnum = z.partattrs[0]
                   WHERE z.partrelid IN (p_table, a.oid) ORDER BY z.partrelid <> p_table) AS known
        FROM above a JOIN pg_partitioned_table k ON k.partrelid = a.oid AND k.partstrat = c_by
        JOIN pg_opclass o ON o.oid = k.partclass[0] JOIN pg_class ac ON ac.oid = a.oid
        JOIN pg_namespace an ON an.oid = ac.relnamespace JOIN pg_inherits i ON i.inhparent = a.oid
        JOIN pg_class c ON c.oid = i.inhrelid AND c.relkind IN ('r', 'p') JOIN pg_namespace n ON n.oid = c.relnamespace
        LEFT JOIN pg_partitioned_table b ON b.partrelid = c.oid AND b.partstrat = 'r' AND p_by_list
        CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid)
            || CASE WHEN b.partrelid IS NULL THEN '' ELSE ' over ranges' END AS bound) x WHERE x.bound <> 'DEFAULT'
    LOOP
        v_list := regexp_match(v_row.list, c_list); v_bounds := regexp_match(v_row.bound, c_bounds);
        IF v_bounds IS NULL OR NOT v_row.known OR v_row.list IS NOT NULL AND v_list IS NULL THEN
            RAISE feature_not_supported USING
                MESSAGE = format('partition "%s.%s" has bounds that a policy on partitions cannot read: %s',
                                 v_row.nspname, v_row.relname, concat_ws(', ', v_row.list, v_row.bound)),
                HINT = 'Bounds must be values of one column, in its usual order, further columns MINVALUE; a list '
                       'must have one value, not NULL; and columns and ranges are those of the catalog snapshot.';
        END IF;
        rel := v_row.oid; above := v_row.above; "schema" := v_row.nspname; name := v_row.relname;
        parent := v_row.parent; value := coalesce(v_list[1], v_list[2]); lower := coalesce(v_bounds[1], v_bounds[2]);
        upper := coalesce(v_bounds[3], v_bounds[4], CASE WHEN p_by_list THEN lower END); detaching := v_row.pending;
        RETURN NEXT;
    END LOOP;
END $function$;

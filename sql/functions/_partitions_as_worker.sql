-- partitions(), by <policy>_rows.
CREATE OR REPLACE FUNCTION retention._partitions_as_worker(p_policy text, p_as_of timestamptz)
RETURNS TABLE (
    "schema" text, name text, parent text, value text, lower text, upper text, kept_by text, rows bigint, bytes bigint)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on AS $function$
BEGIN
    PERFORM retention._pin(retention._known(p_policy));
    RETURN QUERY EXECUTE format(
        'SELECT (d.t).schema, (d.t).name, (d.t).parent, (d.t).value, (d.t).lower, (d.t).upper, d.verdict, x.rows,
            x.bytes
         FROM retention.%I($1) d CROSS JOIN LATERAL (
             SELECT CASE WHEN min(c.reltuples) >= 0 THEN sum(c.reltuples)::bigint END AS rows,
                    sum(pg_total_relation_size(c.oid))::bigint AS bytes
             FROM pg_partition_tree(d.rel) l JOIN pg_class c ON c.oid = l.relid WHERE l.isleaf) x
         ORDER BY d.upper, 1, 2', p_policy || '_rows')
    USING retention.at(p_policy, p_as_of);
END $function$;

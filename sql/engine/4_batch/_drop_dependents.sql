-- _drop_dependents describes the objects for which DROP TABLE without CASCADE refuses a table: those that depend on the table,
-- or on what goes with it, and do not go with it themselves. An extension counts that the table is a member of.
CREATE OR REPLACE FUNCTION retention._drop_dependents(p_table oid) RETURNS TABLE (dependent text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE gone (classid, objid) AS (
        SELECT 'pg_class'::regclass::oid, p_table
        UNION
        SELECT d.classid, d.objid FROM gone g
        JOIN pg_depend d ON d.refclassid = g.classid AND d.refobjid = g.objid AND d.deptype IN ('a', 'i', 'P', 'S', 'x'))
    SELECT pg_describe_object(d.classid, d.objid, 0)
    FROM gone g JOIN pg_depend d ON d.refclassid = g.classid AND d.refobjid = g.objid AND d.deptype = 'n'
    WHERE (d.classid, d.objid) NOT IN (SELECT x.classid, x.objid FROM gone x)
    UNION ALL
    SELECT pg_describe_object(d.refclassid, d.refobjid, 0)
    FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = p_table AND d.deptype = 'e'
$function$;

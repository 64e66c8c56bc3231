-- _drop_dependents describes the objects that make DROP TABLE without CASCADE fail. These objects
-- depend on the table, or on its parts, and are not dropped with it. If the table is a member of an
-- extension, it also returns the extension.
CREATE OR REPLACE FUNCTION retention._drop_dependents(p_table oid) RETURNS TABLE (dependent text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE gone (classid, objid) AS (
        SELECT 'pg_class'::regclass::oid, p_table
        UNION
        SELECT d.classid, d.objid FROM gone g
        JOIN pg_depend d ON d.refclassid = g.classid AND d.refobjid = g.objid
            AND d.deptype IN ('a', 'i', 'P', 'S', 'x'))
    SELECT pg_describe_object(d.classid, d.objid, 0)
    FROM gone g JOIN pg_depend d ON d.refclassid = g.classid AND d.refobjid = g.objid AND d.deptype = 'n'
    WHERE (d.classid, d.objid) NOT IN (SELECT x.classid, x.objid FROM gone x)
    UNION ALL
    SELECT pg_describe_object(d.refclassid, d.refobjid, 0)
    FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = p_table AND d.deptype = 'e'
$function$;

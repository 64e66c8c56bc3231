-- What keeps a table from being dropped, since nothing is dropped with CASCADE: objects that depend on it or on what
-- goes with it. child: the table of a foreign key to a partition, which goes by rows, and keeps it from being detached.
CREATE OR REPLACE FUNCTION retention._hangs_on(p_table oid) RETURNS TABLE (what text, child oid)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    WITH RECURSIVE gone AS (
        SELECT 'pg_class'::regclass::oid AS classid, p_table AS objid
        UNION SELECT d.classid, d.objid FROM gone g
        JOIN pg_depend d ON d.refclassid = g.classid AND d.refobjid = g.objid AND d.deptype <> 'n')
    SELECT pg_describe_object(d.classid, coalesce(k.conparentid, d.objid), d.objsubid), k.conrelid
    FROM gone g JOIN pg_depend d ON d.refclassid = g.classid AND d.refobjid = g.objid AND d.deptype = 'n'
    LEFT JOIN pg_constraint k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid AND k.confrelid = p_table
                             AND k.conparentid <> 0
    WHERE (d.classid, d.objid) NOT IN (SELECT x.classid, x.objid FROM gone x)
$function$;

-- _reached returns the objects of the catalog whose code could run when relations are read or
-- written, and all objects between the relations and this code, as in pg_depend. It follows
-- pg_depend from the relations to objects that belong to them (triggers, rules, constraints,
-- indexes). From these it follows pg_depend to objects that they use (functions, operators, types,
-- casts). It does not look into functions.
CREATE OR REPLACE FUNCTION retention._reached(p_relations oid[], p_trusted oid[]) RETURNS TABLE (class oid, id oid)
LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $function$
DECLARE
    c_first CONSTANT oid := 16384;  -- objects of initdb have lower OIDs
    v_cast CONSTANT oid[] := ARRAY(  -- types with casts that somebody created
        SELECT unnest(ARRAY[k.castsource, k.casttarget]) FROM pg_cast k WHERE k.oid >= c_first);
BEGIN
    RETURN QUERY WITH RECURSIVE reached (class, id) AS (
        SELECT 'pg_class'::regclass::oid, r.oid FROM unnest(p_relations) r (oid)
        UNION
        SELECT x.class, x.id FROM reached r CROSS JOIN LATERAL (
            SELECT CASE d.classid WHEN 'pg_cast'::regclass THEN 'pg_proc'::regclass ELSE d.classid END AS class,
                   CASE d.classid WHEN 'pg_cast'::regclass THEN (
                       -- without casts to types of untrusted roles: the policy has no such value
                       SELECT k.castfunc FROM pg_cast k JOIN pg_type t
                           ON t.oid = CASE k.castsource WHEN r.id THEN k.casttarget ELSE k.castsource END
                       WHERE k.oid = d.objid
                         AND (t.typowner = ANY (p_trusted) OR pg_has_role(t.typowner, p_trusted[1], 'MEMBER')))
                   ELSE d.objid END AS id
            FROM pg_depend d
            WHERE d.refclassid = r.class AND d.refobjid = r.id AND CASE r.class
                WHEN 'pg_type'::regclass THEN d.classid IN ('pg_cast'::regclass, 'pg_constraint'::regclass)
                    OR d.classid = 'pg_class'::regclass AND d.deptype = 'i'
                ELSE (d.deptype <> 'n' OR d.classid = r.class) AND NOT (
                    -- These have no code: the row type of a relation without casts, a TOAST table,
                    -- and the sequence of an identity column, which has the owner of its table.
                    d.deptype = 'i' AND r.class = 'pg_class'::regclass AND (d.classid = 'pg_class'::regclass
                        OR d.classid = 'pg_type'::regclass AND d.objid <> ALL (v_cast)))
                    AND d.classid IN (
                        'pg_class'::regclass, 'pg_type'::regclass, 'pg_trigger'::regclass, 'pg_rewrite'::regclass,
                        'pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_policy'::regclass,
                        'pg_statistic_ext'::regclass, 'pg_amop'::regclass, 'pg_amproc'::regclass) END
              AND r.class IN ('pg_class'::regclass, 'pg_type'::regclass, 'pg_constraint'::regclass,
                              'pg_opclass'::regclass, 'pg_opfamily'::regclass)
            UNION ALL
            SELECT d.refclassid, d.refobjid FROM pg_depend d
            WHERE d.classid = r.class AND d.objid = r.id AND d.refobjid >= c_first AND d.deptype <> 'e'
              AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_extension'::regclass)
              AND r.class <> 'pg_proc'::regclass AND (d.refclassid <> 'pg_class'::regclass
                  OR r.class IN ('pg_rewrite'::regclass, 'pg_type'::regclass))) x
    )
    SELECT r.class, r.id FROM reached r;
END $function$;

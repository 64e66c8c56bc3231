-- _versions returns the versions (xmin) of schemas, of everything in them except relations, and of
-- some other objects of the catalog, as text. The version of a relation includes its columns. The
-- result is NULL if an object no longer exists, or _version does not know its kind. Of the kinds
-- with version 0, only the rows of pg_depend matter.
-- p_classes, p_ids: the other objects, as in pg_depend
CREATE OR REPLACE FUNCTION retention._versions(p_schemas name[], p_classes oid[], p_ids oid[]) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $function$
BEGIN
    RETURN (
        SELECT CASE WHEN count(*) = count(x.version)
            THEN coalesce(string_agg(concat_ws(' ', o.class, o.id, o.link, x.version), ',' ORDER BY o.class, o.id), '')
            END
        FROM (SELECT u.class, u.id, NULL::xid AS link FROM unnest(p_classes, p_ids) u (class, id)
              UNION ALL SELECT 'pg_namespace'::regclass, n.oid, NULL FROM pg_namespace n
              WHERE n.nspname = ANY (p_schemas)
              UNION ALL SELECT d.classid, d.objid, d.xmin FROM pg_namespace n
              JOIN pg_depend d ON d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid
              WHERE n.nspname = ANY (p_schemas) AND d.classid <> 'pg_class'::regclass) o
        CROSS JOIN LATERAL (SELECT CASE o.class
            WHEN 'pg_class'::regclass THEN (SELECT concat_ws(' ', r.xmin, i.xmin, ARRAY(
                SELECT a.xmin FROM pg_attribute a WHERE a.attrelid = o.id ORDER BY a.attnum))
                FROM pg_class r LEFT JOIN pg_index i ON i.indexrelid = r.oid WHERE r.oid = o.id)
            WHEN 'pg_namespace'::regclass THEN (SELECT r.xmin::text FROM pg_namespace r WHERE r.oid = o.id)
            WHEN 'pg_proc'::regclass THEN (SELECT r.xmin::text FROM pg_proc r WHERE r.oid = o.id)
            WHEN 'pg_type'::regclass THEN (SELECT r.xmin::text FROM pg_type r WHERE r.oid = o.id)
            WHEN 'pg_constraint'::regclass THEN (SELECT r.xmin::text FROM pg_constraint r WHERE r.oid = o.id)
            WHEN 'pg_trigger'::regclass THEN (SELECT r.xmin::text FROM pg_trigger r WHERE r.oid = o.id)
            ELSE CASE WHEN o.class IN ('pg_attrdef'::regclass, 'pg_policy'::regclass, 'pg_amop'::regclass,
                'pg_amproc'::regclass, 'pg_extension'::regclass, 'pg_default_acl'::regclass,
                'pg_publication_namespace'::regclass) THEN '0' ELSE retention._version(o.class, o.id) END END AS version
            OFFSET 0) x);  -- OFFSET 0: evaluated once
END $function$;

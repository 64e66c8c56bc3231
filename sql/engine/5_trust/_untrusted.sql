-- _untrusted returns a sentence for each object whose owner is not trusted and whose code could
-- run. The code could run when relations are read or written, or when names are looked up in
-- schemas.
-- For the relations, it checks the objects of _reached. A trusted owner is responsible for what his
-- functions call. In the schemas it checks all objects, used or not, because PostgreSQL calls the
-- function that best matches the arguments.
CREATE OR REPLACE FUNCTION retention._untrusted(
    p_relations oid[], p_schemas text[], p_trusted oid[] DEFAULT retention._trusted()) RETURNS SETOF text
LANGUAGE plpgsql STABLE ROWS 1 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off
SET enable_seqscan = off SET enable_bitmapscan = off AS $function$
DECLARE
    c_mend CONSTANT text := '; change its owner, drop it, or list the role under "trust" of the install';
    v_schemas CONSTANT oid[] := ARRAY(SELECT n.oid FROM pg_namespace n WHERE n.nspname = ANY (p_schemas::name[]));
BEGIN
    RETURN QUERY
    SELECT x.why FROM (
        SELECT r.place, format('%s belongs to role "%s", which is not trusted%s', pg_describe_object(r.class, r.id, 0),
                               pg_get_userbyid(o.owner), CASE r.place WHEN 4 THEN
                               ', and stands where names of the policy are looked up' END) || c_mend
        FROM (SELECT 1 AS place, r.class, r.id FROM retention._reached(p_relations, p_trusted) r UNION ALL
              -- The SQL of policies qualifies tables, and never contains names of the other kinds.
              SELECT 4, d.classid, d.objid FROM pg_depend d
              WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = ANY (v_schemas) AND d.classid NOT IN (
                  'pg_class'::regclass, 'pg_statistic_ext'::regclass, 'pg_extension'::regclass,
                  'pg_default_acl'::regclass, 'pg_publication_namespace'::regclass)) r
        CROSS JOIN LATERAL (SELECT CASE r.class  -- pg_shdepend lacks predefined roles
            WHEN 'pg_class'::regclass THEN (
                SELECT c.relowner FROM pg_class c WHERE c.oid = r.id AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S'))
            WHEN 'pg_proc'::regclass THEN (SELECT p.proowner FROM pg_proc p WHERE p.oid = r.id)
            WHEN 'pg_type'::regclass THEN (
                SELECT t.typowner FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
                WHERE t.oid = r.id AND coalesce(c.relkind, 'c') = 'c'
                  AND NOT EXISTS (SELECT FROM pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid))
            WHEN 'pg_operator'::regclass THEN (SELECT o.oprowner FROM pg_operator o WHERE o.oid = r.id)
            WHEN 'pg_opclass'::regclass THEN (SELECT o.opcowner FROM pg_opclass o WHERE o.oid = r.id)
            WHEN 'pg_opfamily'::regclass THEN (SELECT o.opfowner FROM pg_opfamily o WHERE o.oid = r.id)
            WHEN 'pg_ts_config'::regclass THEN (SELECT c.cfgowner FROM pg_ts_config c WHERE c.oid = r.id)
            WHEN 'pg_ts_dict'::regclass THEN (SELECT d.dictowner FROM pg_ts_dict d WHERE d.oid = r.id)
            WHEN 'pg_foreign_server'::regclass THEN (SELECT f.srvowner FROM pg_foreign_server f WHERE f.oid = r.id)
            WHEN 'pg_collation'::regclass THEN (SELECT c.collowner FROM pg_collation c WHERE c.oid = r.id)
            WHEN 'pg_conversion'::regclass THEN (SELECT c.conowner FROM pg_conversion c WHERE c.oid = r.id)
            ELSE (SELECT s.refobjid FROM pg_shdepend s JOIN pg_database b ON b.oid = s.dbid
                  WHERE r.place = 4 AND b.datname = current_database() AND s.classid = r.class AND s.objid = r.id
                      AND s.deptype = 'o')
            END AS owner OFFSET 0) o  -- OFFSET 0: evaluated once
        WHERE o.owner <> ALL (p_trusted) AND NOT pg_has_role(o.owner, p_trusted[1], 'MEMBER')
        UNION ALL
        SELECT a.place, format(CASE a.place WHEN 2 THEN 'schema "%s" belongs to %s, which is not trusted' || c_mend
                   ELSE '%2$s may create in schema "%1$s", where names of the policy are looked up; '
                        'REVOKE CREATE ON SCHEMA %1$I FROM %3$s' END, a.name,
                   CASE a.role WHEN 0 THEN 'everybody (PUBLIC)' ELSE format('role "%s"', pg_get_userbyid(a.role)) END,
                   CASE a.role WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.role)) END)
        FROM (SELECT 2, n.nspname, n.nspowner FROM pg_namespace n WHERE n.oid = ANY (v_schemas || ARRAY(
                  SELECT c.relnamespace FROM pg_class c WHERE c.oid = ANY (p_relations)))
              UNION ALL SELECT 3, n.nspname, e.grantee FROM pg_namespace n CROSS JOIN aclexplode(n.nspacl) e
              WHERE e.privilege_type = 'CREATE' AND n.oid = ANY (v_schemas || ARRAY(SELECT c.relnamespace
                  FROM pg_class c WHERE c.oid = 'retention.policy'::regclass))) a (place, name, role)
        WHERE a.role <> ALL (p_trusted) AND NOT pg_has_role(a.role, p_trusted[1], 'MEMBER')) x (place, why)
    ORDER BY x.place, x.why;
END $function$;

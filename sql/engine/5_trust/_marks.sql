-- _marks returns, for rows of retention.vouched, a text that changes whenever something changes on
-- which the answers of _obstacle rest, except holds. It has the versions (xmin) of rows of the
-- catalog and of the registry. An update, insert or delete of such a row changes the text, also if
-- the row has the same values again. It contains:
-- - the server (when it started) and the database
-- - the rows of the install and of the policy
-- - all on which _trusted rests: the owners of the runtime and of the database, roles that the
--   install trusts, superusers, and memberships in roles
-- - the tables that have the policy's names, and the protected tables
-- - everything in the schemas in which names are looked up, except relations. Relations count if
--   the policy names one without its schema.
-- - the objects of _reached, and the rows of pg_depend from and to them. A new trigger, rule,
--   index, constraint, child or foreign key has such a row.
-- - casts that somebody created, tables that subscriptions fill, and tables that Citus distributes
-- ANALYZE and VACUUM do not change it. The text is NULL if an object no longer exists, or
-- _version does not know its kind.
CREATE OR REPLACE FUNCTION retention._marks(p_vouched retention.vouched[]) RETURNS TABLE (policy text, mark text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $function$
DECLARE
    c_first CONSTANT oid := 16384;  -- objects of initdb have lower OIDs
    v_shared retention.vouched;  -- on what the answers for all policies rest
    v_common text;
BEGIN
    SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_database(), i.xmin,
               (SELECT c.relowner FROM pg_class c WHERE c.oid = 'retention.policy'::regclass), ARRAY(
               SELECT concat(r.oid, r.rolsuper, r.rolname) FROM pg_roles r
               WHERE r.rolsuper OR r.rolname = ANY (i.trust) ORDER BY r.oid), ARRAY(
               SELECT m.xmin FROM pg_auth_members m ORDER BY m.roleid, m.member), ARRAY(
               SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()), ARRAY(
               SELECT k.xmin FROM pg_cast k WHERE k.oid >= c_first ORDER BY k.oid), ARRAY(
               SELECT concat(x.srrelid, '.', x.srsubid) FROM pg_subscription_rel x ORDER BY x.srrelid, x.srsubid),
               CASE WHEN i.protect <> '{}' THEN retention._partition_tree(i.protect) END,
               CASE WHEN to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN ARRAY(
                   SELECT d FROM retention._distributed() d ORDER BY d) END),
           string_to_array(i.search_path, ', ')
    INTO v_common, v_shared.schemas FROM retention.install i;
    RETURN QUERY
    WITH part AS MATERIALIZED (
        SELECT v.policy, x.versions || concat_ws(' ', ARRAY(
            SELECT c.oid FROM unnest(v.table_schemas, v.table_names) t (schema, name)
            JOIN pg_namespace n ON n.nspname = t.schema
            JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.name ORDER BY c.oid), ARRAY(
            SELECT concat(c.oid, '.', c.xmin) FROM pg_class c WHERE c.relname = ANY (v.found) ORDER BY c.oid), ARRAY(
            SELECT concat(t.oid, '.', t.xmin) FROM pg_type t WHERE t.typname = ANY (v.found) ORDER BY t.oid), ARRAY(
            SELECT d.xmin FROM unnest(v.classes, v.ids) o (class, id)
            JOIN pg_depend d ON d.refclassid = o.class AND d.refobjid = o.id
            WHERE o.class NOT IN ('pg_proc'::regclass, 'pg_namespace'::regclass)
            ORDER BY o.class, o.id, d.refobjsubid, d.classid, d.objid, d.objsubid, d.deptype), ARRAY(
            SELECT d.xmin FROM unnest(v.classes, v.ids) o (class, id)
            JOIN pg_depend d ON d.classid = o.class AND d.objid = o.id
            ORDER BY o.class, o.id, d.objsubid, d.refclassid, d.refobjid, d.refobjsubid, d.deptype)) AS text
        FROM unnest(p_vouched || v_shared) v CROSS JOIN LATERAL (
            SELECT CASE WHEN count(*) = count(y.version) THEN coalesce(string_agg(
                concat_ws(' ', o.class, o.id, o.link, y.version), ',' ORDER BY o.class, o.id), '') END AS versions
            FROM (SELECT u.class, u.id, NULL::xid AS link FROM unnest(v.classes, v.ids) u (class, id)
                  UNION ALL SELECT 'pg_namespace'::regclass, n.oid, NULL FROM pg_namespace n
                  WHERE n.nspname = ANY (v.schemas)
                  UNION ALL SELECT d.classid, d.objid, d.xmin FROM pg_namespace n
                  JOIN pg_depend d ON d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.oid
                  WHERE n.nspname = ANY (v.schemas) AND d.classid <> 'pg_class'::regclass) o
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
                    'pg_publication_namespace'::regclass) THEN '0' ELSE retention._version(o.class, o.id) END
                END AS version OFFSET 0) y) x  -- OFFSET 0: evaluated once
    )
    SELECT q.policy,
           md5(v_common || concat(' ', p.xmin, ' ') || (SELECT s.text FROM part s WHERE s.policy IS NULL) || q.text)
    FROM part q JOIN retention.policy p ON p.name = q.policy;
END $function$;

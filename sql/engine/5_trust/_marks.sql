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
-- ANALYZE and VACUUM do not change it. The text is NULL if _versions cannot tell.
CREATE OR REPLACE FUNCTION retention._marks(p_vouched retention.vouched[]) RETURNS TABLE (policy text, mark text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET jit = off AS $function$
DECLARE
    c_first CONSTANT oid := 16384;  -- objects of initdb have lower OIDs
    v_common CONSTANT text := (
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
                SELECT d FROM retention._distributed() d ORDER BY d) END)
            || retention._versions(string_to_array(i.search_path, ', ')::name[], '{}', '{}')
        FROM retention.install i);
BEGIN
    RETURN QUERY
    SELECT v.policy, md5(v_common || concat_ws(' ', p.xmin, retention._resolve_tables(v.tables), ARRAY(
        SELECT concat(x.oid, '.', x.xmin) FROM pg_class x WHERE x.relname = ANY (v.found) ORDER BY x.oid), ARRAY(
        SELECT concat(x.oid, '.', x.xmin) FROM pg_type x WHERE x.typname = ANY (v.found) ORDER BY x.oid), ARRAY(
        SELECT d.xmin FROM unnest(v.classes, v.ids) o (class, id)
        JOIN pg_depend d ON d.refclassid = o.class AND d.refobjid = o.id
        WHERE o.class NOT IN ('pg_proc'::regclass, 'pg_namespace'::regclass)
        ORDER BY o.class, o.id, d.refobjsubid, d.classid, d.objid, d.objsubid, d.deptype), ARRAY(
        SELECT d.xmin FROM unnest(v.classes, v.ids) o (class, id)
        JOIN pg_depend d ON d.classid = o.class AND d.objid = o.id
        ORDER BY o.class, o.id, d.objsubid, d.refclassid, d.refobjid, d.refobjsubid, d.deptype))
        || retention._versions(v.schemas, v.classes, v.ids))
    FROM unnest(p_vouched) v JOIN retention.policy p ON p.name = v.policy;
END $function$;

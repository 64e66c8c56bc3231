-- _marks returns, for each policy that has a probe, a text that changes whenever something changes
-- on which the probe's answer rests. It contains:
-- - the server (when it started) and the database
-- - the version (xmin) of the rows of the install, of the policy and of its settings
-- - the OID of the table, and the version of its rows in the catalog: its kind, owner, privileges
--   and row security, its columns, indexes, triggers, rules, children and statistics
-- - the version of the schemas: the table's, and those in which names are looked up
-- - the functions and operators outside pg_catalog that have a name that occurs in the probe
-- The policy has no row if the table does not exist.
-- ANALYZE and VACUUM do not change it. They may change statistics in place only.
CREATE OR REPLACE FUNCTION retention._marks(p_policies text[]) RETURNS TABLE (policy text, mark text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $function$
DECLARE
    c_first CONSTANT oid := 16384;  -- objects of initdb have lower OIDs
    v_common CONSTANT text := (
        SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_database(), i.xmin, ARRAY(
            SELECT concat(n.oid, '.', n.xmin) FROM pg_namespace n
            WHERE n.nspname = ANY (string_to_array(i.search_path, ', ')::name[]) ORDER BY n.oid), ARRAY(
            SELECT s.xmin FROM retention.setting s WHERE s.policy = '*' ORDER BY s.name, s.scope))
        FROM retention.install i);
BEGIN
    RETURN QUERY
    SELECT b.policy, concat_ws(' ', v_common, p.xmin, ARRAY(
        SELECT s.xmin FROM retention.setting s WHERE s.policy = b.policy ORDER BY s.name, s.scope),
        n.xmin, c.oid, c.xmin, ARRAY(
        SELECT a.xmin FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 ORDER BY a.attnum), ARRAY(
        SELECT concat(x.indexrelid, '.', x.xmin) FROM pg_index x WHERE x.indrelid = c.oid ORDER BY x.indexrelid), ARRAY(
        SELECT concat(x.oid, '.', x.xmin) FROM pg_trigger x WHERE x.tgrelid = c.oid ORDER BY x.oid), ARRAY(
        SELECT concat(x.oid, '.', x.xmin) FROM pg_rewrite x WHERE x.ev_class = c.oid ORDER BY x.oid), ARRAY(
        SELECT concat(x.inhrelid, '.', x.xmin) FROM pg_inherits x WHERE x.inhparent = c.oid ORDER BY x.inhrelid), ARRAY(
        SELECT concat(x.oid, '.', x.xmin) FROM pg_statistic_ext x WHERE x.stxrelid = c.oid ORDER BY x.oid), ARRAY(
        SELECT concat(x.oid, '.', x.xmin) FROM pg_proc x WHERE x.proname = ANY (b.names) AND x.oid >= c_first
        ORDER BY x.oid), ARRAY(
        SELECT concat(x.oid, '.', x.xmin) FROM pg_operator x WHERE x.oprname = ANY (b.names) AND x.oid >= c_first
        ORDER BY x.oid))
    FROM retention.probe b JOIN retention.policy p ON p.name = b.policy
    JOIN pg_namespace n ON n.nspname = b.schema_name
    JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = b.rel_name
    WHERE b.policy = ANY (p_policies);
END $function$;

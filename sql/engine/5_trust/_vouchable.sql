-- _vouchable returns the row of retention.vouched that a policy gets if _obstacle finds no obstacle
-- after this call. It reads everything in one snapshot. mark is NULL if the policy cannot be
-- vouched for, so that all questions are asked each time. This is so in these cases:
-- - Batches change the catalog (policies on partitions, steps that drop tables).
-- - The policy names an object outside pg_catalog without its schema that is no type, relation,
--   function or operator. An example is a collation.
-- - Types that it uses have casts that somebody created.
-- - The policy's objects are of a kind that _version does not know.
-- - Tables are protected, and the server has Citus.
CREATE OR REPLACE FUNCTION retention._vouchable(p_policy retention.policy) RETURNS retention.vouched
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $function$
DECLARE
    v_vouched retention.vouched; v_tables text[]; v_relations oid[];
    v_install CONSTANT retention.install := (SELECT i FROM retention.install i);
BEGIN
    IF p_policy.partitions OR p_policy.steps @? '$[*] ? (@.verb == "drop table")'
        OR p_policy.names ? 'found' AND EXISTS (
            SELECT FROM retention._resolve_names(p_policy.names -> 'found') f
            WHERE f.object !~ '^(composite type|type|table|view|materialized view|foreign table|index|sequence) ')
        OR v_install.protect <> '{}' AND to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
        RETURN v_vouched;
    END IF;
    v_vouched.policy := p_policy.name; v_vouched.asked_at := clock_timestamp();
    v_tables := ARRAY(
        SELECT DISTINCT x FROM unnest(ARRAY(SELECT jsonb_object_keys(p_policy.dependencies)) || p_policy.changes
            || p_policy.reach || p_policy.deletes || p_policy.statement_deletes
            || ARRAY(SELECT substr(w, 8) FROM unnest(p_policy.writes) w WHERE w LIKE 'INSERT %')) x);
    SELECT array_agg(left(t, i - 1)), array_agg(substr(t, i + 1)) INTO v_vouched.table_schemas, v_vouched.table_names
    FROM unnest(v_tables) t CROSS JOIN generate_series(1, length(t)) i WHERE substr(t, i, 1) = '.';
    v_vouched.schemas := ARRAY(
        SELECT unnest(p_policy.schemas) UNION SELECT v ->> 0 FROM jsonb_array_elements(p_policy.names -> 'called') v
        EXCEPT SELECT unnest(string_to_array(v_install.search_path, ', ')));
    v_vouched.found := ARRAY(SELECT DISTINCT v ->> 1 FROM jsonb_array_elements(p_policy.names -> 'found') v);
    v_relations := retention._partition_tree(v_tables);
    v_relations := v_relations || ARRAY(SELECT k.conrelid FROM retention._keys_to(v_relations) k);
    SELECT array_agg(r.class), array_agg(r.id) INTO v_vouched.classes, v_vouched.ids
    FROM retention._reached(v_relations, retention._trusted()) r;
    IF NOT EXISTS (SELECT FROM pg_cast k WHERE k.oid >= 16384  -- objects of initdb have lower OIDs
        AND (k.castsource = ANY (v_vouched.ids) OR k.casttarget = ANY (v_vouched.ids))) THEN
        SELECT v_vouched.classes || array_agg('pg_namespace'::regclass::oid), v_vouched.ids || array_agg(n.id)
        INTO v_vouched.classes, v_vouched.ids FROM (
            SELECT d.refobjid FROM unnest(v_vouched.classes, v_vouched.ids) o (class, id)
            JOIN pg_depend d ON d.classid = o.class AND d.objid = o.id AND d.refclassid = 'pg_namespace'::regclass
            UNION SELECT c.relnamespace FROM pg_class c WHERE c.oid = 'retention.policy'::regclass) n (id);
        v_vouched.mark := (SELECT m.mark FROM retention._marks(ARRAY[v_vouched]) m);
    END IF;
    RETURN v_vouched;
END $function$;

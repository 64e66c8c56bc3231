-- _candidates returns, for each policy and report, the objects outside pg_catalog that its names
-- could mean, sorted. It leaves out a function or operator if the policy has no value of one of its
-- argument types.
CREATE OR REPLACE FUNCTION retention._candidates(p_policies retention.policy[])
RETURNS TABLE (policy text, objects text[])
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET jit = off AS $function$
DECLARE
    c_first CONSTANT oid := 16384;  -- the types of pg_catalog have lower numbers
BEGIN
    -- Most databases have no such object. Then the larger query is not planned.
    IF NOT EXISTS (
        SELECT FROM (SELECT DISTINCT v
                     FROM unnest(p_policies) p CROSS JOIN jsonb_array_elements(p.names -> 'called') v) x
        JOIN pg_namespace n ON n.nspname = v ->> 0
        WHERE EXISTS (SELECT FROM pg_proc f WHERE f.proname = (v ->> 1)::name AND f.pronamespace = n.oid)
           OR EXISTS (SELECT FROM pg_operator o WHERE o.oprname = (v ->> 1)::name AND o.oprnamespace = n.oid))
        AND NOT EXISTS (SELECT FROM unnest(p_policies) p WHERE p.names ? 'found') THEN
        RETURN QUERY SELECT p.name, '{}'::text[] FROM unnest(p_policies) p;
        RETURN;
    END IF;
    RETURN QUERY
    WITH named AS MATERIALIZED (
        SELECT p.name AS policy, n.oid AS schema, (v ->> 1)::name AS name
        FROM unnest(p_policies) p CROSS JOIN jsonb_array_elements(p.names -> 'called') v
        JOIN pg_namespace n ON n.nspname = v ->> 0
    ), called AS MATERIALIZED (
        SELECT n.policy, 'function ' || f.oid::regprocedure::text AS object, f.proargtypes::oid[] AS arguments,
               f.prorettype AS result
        FROM named n JOIN pg_proc f ON f.proname = n.name AND f.pronamespace = n.schema
        UNION ALL
        SELECT n.policy, 'operator ' || o.oid::regoperator::text, ARRAY[o.oprleft, o.oprright], o.oprresult
        FROM named n JOIN pg_operator o ON o.oprname = n.name AND o.oprnamespace = n.schema
    ), value AS (  -- types of the policy's values, except those of pg_catalog
        SELECT p.name AS policy, a.atttypid AS type
        FROM unnest(p_policies) p
        CROSS JOIN unnest(retention._resolve_tables(ARRAY(SELECT jsonb_object_keys(p.dependencies)))) r (id)
        JOIN pg_attribute a ON a.attrelid = r.id WHERE a.atttypid >= c_first
        UNION SELECT c.policy, c.result FROM called c WHERE c.result >= c_first AND NOT EXISTS (
            SELECT FROM unnest(c.arguments) g WHERE g >= c_first)
    ), fitting AS MATERIALIZED (
        SELECT v.policy, x.type FROM value v JOIN pg_type t ON t.oid = v.type
        CROSS JOIN unnest(ARRAY[t.oid, t.typelem, t.typarray, t.typbasetype]) x (type)
    )
    SELECT p.name, ARRAY(
        SELECT c.object FROM called c WHERE c.policy = p.name AND NOT EXISTS (
            SELECT FROM unnest(c.arguments) g
            WHERE g >= c_first AND g NOT IN (SELECT f.type FROM fitting f WHERE f.policy = p.name))
        UNION SELECT f.object FROM retention._resolve_names(p.names -> 'found') f WHERE p.names ? 'found' ORDER BY 1)
    FROM unnest(p_policies) p;
END $function$;

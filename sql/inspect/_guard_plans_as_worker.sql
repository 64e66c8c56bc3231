-- _guard_plans_as_worker returns for each policy the plan of EXPLAIN for the recheck of locked
-- rows, or the error that EXPLAIN raises, for "pgretain verify". The recheck evaluates the guards
-- and joins of the policy. The plan is for a batch of at most 500 rows. It rolls back what the
-- planning of a policy set.
CREATE OR REPLACE FUNCTION retention._guard_plans_as_worker(
    p_policies text[], OUT policy text, OUT plan json, OUT code text, OUT message text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = on SET enable_sort = on SET enable_hashjoin = on
SET enable_mergejoin = on SET lock_timeout = '200ms'
SET max_parallel_workers_per_gather = 0 SET random_page_cost = 0.1 SET cpu_tuple_cost = 0.01 AS $function$
DECLARE
    v_policy retention.policy; v_batch retention.batch_range := retention._batch_range(clock_timestamp());
    v_policies CONSTANT retention.policy[] := ARRAY(
        SELECT p FROM retention.policy p WHERE p.name = ANY (p_policies) AND NOT p.partitions AND NOT p.report);
    v_foreign CONSTANT jsonb := retention._pin_all(v_policies);
BEGIN
    FOREACH v_policy IN ARRAY v_policies LOOP
        policy := v_policy.name; plan := NULL; code := NULL; message := NULL;
        v_batch.tids := ARRAY(SELECT format('(%s,1)', n)::tid
            FROM generate_series(1, least(v_policy.batch_rows, 500)) n);
        BEGIN
            IF v_foreign ? v_policy.name THEN
                RAISE EXCEPTION USING ERRCODE = 'PR004', MESSAGE = v_foreign ->> v_policy.name;
            END IF;
            PERFORM set_config('cpu_tuple_cost', CASE WHEN v_policy.passes @? '$[*].ranked' THEN '0.01' ELSE '1' END,
                               true);
            EXECUTE format('EXPLAIN (FORMAT JSON, VERBOSE)
                            SELECT d.rel, d.tid, d.verdict FROM %s WHERE d.tid = ANY (($1).tids)',
                retention._rows_call(v_policy))
            INTO plan USING v_batch;
            RAISE SQLSTATE 'PR009';
        EXCEPTION WHEN OTHERS OR assert_failure THEN
            IF plan IS NULL THEN code := SQLSTATE; message := SQLERRM; END IF;
        END;
        RETURN NEXT;
    END LOOP;
END $function$;

-- _plans_as_worker returns for each pass the plan of EXPLAIN, or the error that EXPLAIN raises, for
-- "pgretain verify". It leaves out ranks whose groups no index returns.
-- It rolls back what the planning of a policy set.
-- p_sort: if false, sorting is disabled. The plan then shows whether an index can return the order.
CREATE OR REPLACE FUNCTION retention._plans_as_worker(
    p_policies text[], p_sort boolean, OUT policy text, OUT batch text, OUT plan json, OUT code text, OUT message text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET transform_null_equals = off SET array_nulls = on SET row_security = off
SET jit = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = on SET enable_hashjoin = on
SET enable_mergejoin = on SET lock_timeout = '200ms'
SET max_parallel_workers_per_gather = 0 SET random_page_cost = 0.1 SET cpu_tuple_cost = 0.01 AS $function$
DECLARE
    v_policy retention.policy; v_batch retention.batch_range := retention._batch_range(clock_timestamp());
    v_pass record; v_cursor record; v_foreign jsonb;
    v_policies CONSTANT retention.policy[] := ARRAY(
        SELECT p FROM retention.policy p WHERE p.name = ANY (p_policies) AND NOT p.partitions AND NOT p.report);
BEGIN
    v_batch.tids := '{}';
    v_foreign := retention._pin_all(v_policies);
    FOREACH v_policy IN ARRAY v_policies LOOP
        FOR v_pass IN SELECT e.value, e.ordinality::integer AS number
            FROM jsonb_array_elements(v_policy.passes) WITH ORDINALITY e
                      WHERE e.value ? 'cursor' OR e.value ? 'indexed' LOOP
            policy := v_policy.name;
            batch := v_policy.name || CASE WHEN v_pass.value ? 'cursor' THEN '_rows' ELSE '_beyond' END;
            plan := NULL; code := NULL; message := NULL; v_batch.pass := v_pass.number;
            BEGIN
                IF v_foreign ? v_policy.name THEN
                    RAISE EXCEPTION USING ERRCODE = 'PR004', MESSAGE = v_foreign ->> v_policy.name;
                END IF;
                PERFORM set_config('cpu_tuple_cost', CASE WHEN v_pass.value ? 'ranked' THEN '0.01' ELSE '1' END, true),
                    set_config('enable_sort', p_sort::text, true);
                PERFORM retention._plan_for_places(v_pass.value);
                IF v_pass.value ? 'cursor' THEN
                    v_cursor := retention._cursor(v_policy, v_batch);
                    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT d.rel, d.tid %s ORDER BY %s LIMIT $2', v_cursor.rows,
                        v_cursor.names)
                    INTO plan USING v_batch, least(v_policy.batch_rows,
                        CASE WHEN v_policy.batch_time_ms IS NOT NULL THEN 5000 END);
                ELSE
                    v_batch.groups := '[[]]';
                    EXECUTE format('EXPLAIN (FORMAT JSON) SELECT b.rel, b.tid FROM retention.%I($1) b LIMIT $2',
                        v_policy.name || '_beyond')
                    INTO plan USING v_batch, v_policy.batch_rows;
                END IF;
                RAISE SQLSTATE 'PR009';
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                IF plan IS NULL THEN code := SQLSTATE; message := SQLERRM; END IF;
            END;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $function$;

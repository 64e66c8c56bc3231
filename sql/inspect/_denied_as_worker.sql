-- _denied_as_worker evaluates the conditions of each policy for 20 rows of its table, as if their
-- clocks were old enough, and returns the policies that are denied. PostgreSQL checks what a
-- function reads only when it executes the function.
-- - One statement evaluates 64 policies. If it fails, statements for fewer policies find the cause.
-- - It leaves out policies that rank rows, policies on partitions, and policies that _pin_all
--   returns.
-- - It waits at most 0.2 s for each lock. Errors of another kind are left to other checks.
-- - It rolls back what the evaluation set.
CREATE OR REPLACE FUNCTION retention._denied_as_worker(
    p_policies text[], OUT policy text, OUT message text, OUT routine text)
RETURNS SETOF record LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET timezone = 'UTC'
SET datestyle = 'ISO, YMD' SET intervalstyle = 'postgres' SET bytea_output = 'hex' SET extra_float_digits = 1
SET standard_conforming_strings = on SET lc_monetary = 'C' SET lc_numeric = 'C' SET lc_time = 'C'
SET transform_null_equals = off SET array_nulls = on SET row_security = off SET jit = off
SET lock_timeout = '200ms' AS $function$
DECLARE
    c_at_once CONSTANT integer := 64;
    v_policies retention.policy[] := ARRAY(
        SELECT p FROM retention.policy p WHERE p.name = ANY (p_policies) AND NOT p.partitions AND NOT p.report
            AND NOT p.passes @? '$[*] ? (exists (@.ranked))' ORDER BY p.name);
    v_foreign CONSTANT jsonb := retention._pin_all(v_policies);
    v_first integer := 1; v_count integer := c_at_once; v_some retention.policy[]; v_done boolean; v_context text;
BEGIN
    v_policies := ARRAY(SELECT p FROM unnest(v_policies) p WHERE NOT v_foreign ? p.name);
    WHILE v_first <= cardinality(v_policies) LOOP
        v_some := v_policies[v_first:v_first + v_count - 1];
        v_done := false;
        BEGIN
            PERFORM set_config('lock_timeout', CASE WHEN v_count = 1 THEN '200ms' ELSE '20ms' END, true);
            EXECUTE (SELECT string_agg(format('SELECT count(d.verdict)
                FROM (SELECT t.tableoid AS rel, t.ctid AS tid FROM %s t LIMIT 20) x
                JOIN LATERAL %s ON d.rel = x.rel AND d.tid = x.tid', retention._table(p.table_name)::regclass,
                retention._rows_call(p)), ' UNION ALL ') FROM unnest(v_some) p)
            USING retention._batch_range(now() + interval '1000 years');
            v_done := true;
            RAISE SQLSTATE 'PR009';
        EXCEPTION WHEN OTHERS OR assert_failure THEN
            IF v_done THEN
                NULL;
            ELSIF v_count > 1 THEN
                v_count := v_count / 4;
                CONTINUE;
            ELSIF SQLSTATE = '42501' THEN  -- insufficient_privilege
                GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, v_context = PG_EXCEPTION_CONTEXT;
                policy := v_some[1].name;
                routine := (
                    SELECT coalesce(m[1], m[2])
                    FROM regexp_matches(v_context, '(?:SQL function "([^"]+)"|PL/pgSQL function (\S[^\n]*\))) ', 'g')
                        WITH ORDINALITY x (m, n)
                    WHERE NOT starts_with(coalesce(m[1], m[2]), 'retention.')
                      AND coalesce(m[1], m[2]) <> policy || '_rows' ORDER BY n LIMIT 1);
                RETURN NEXT;
            END IF;
        END;
        v_first := v_first + v_count;
        WHILE v_count < c_at_once AND (v_first - 1) % (v_count * 4) = 0 LOOP
            v_count := v_count * 4;
        END LOOP;
    END LOOP;
END $function$;

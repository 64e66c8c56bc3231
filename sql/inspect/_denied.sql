-- _denied returns which policies cannot be evaluated, because the worker lacks a privilege. It
-- evaluates the conditions of each policy as the worker, for 20 rows of its table, as if their
-- clocks were old enough. PostgreSQL checks what a function reads only when it executes the
-- function.
-- - It leaves out policies that rank rows, and policies on partitions.
-- - It waits at most 0.2 s for each lock. Errors of another kind are left to other checks.
-- message: the server's message
-- routine: the function of the application that raised it, NULL if there is none
CREATE OR REPLACE FUNCTION retention._denied(
    p_policies text[], OUT policy text, OUT message text, OUT routine text)
RETURNS SETOF record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET lock_timeout = '200ms' AS $function$
DECLARE v_policy retention.policy; v_context text;
BEGIN
    FOR v_policy IN SELECT p.* FROM retention.policy p WHERE p.name = ANY (p_policies) AND NOT p.partitions
        AND NOT p.report AND NOT p.passes @? '$[*] ? (exists (@.ranked))' ORDER BY p.name LOOP
        BEGIN
            PERFORM retention._query_as_worker(format('SELECT to_jsonb(count(d.verdict))
                FROM (SELECT t.tableoid AS rel, t.ctid AS tid FROM %s t LIMIT 20) x
                JOIN LATERAL %s ON d.rel = x.rel AND d.tid = x.tid', retention._table(v_policy.table_name)::regclass,
                retention._rows_call(v_policy, 'retention._batch_range(now() + interval ''1000 years'')')),
                NULL, v_policy.name);
        EXCEPTION WHEN insufficient_privilege THEN
            GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, v_context = PG_EXCEPTION_CONTEXT;
            policy := v_policy.name;
            routine := (
                SELECT coalesce(m[1], m[2])
                FROM regexp_matches(v_context, '(?:SQL function "([^"]+)"|PL/pgSQL function (\S[^\n]*\))) ', 'g')
                    WITH ORDINALITY x (m, n)
                WHERE NOT starts_with(coalesce(m[1], m[2]), 'retention.')
                  AND coalesce(m[1], m[2]) <> v_policy.name || '_rows' ORDER BY n LIMIT 1);
            RETURN NEXT;
        WHEN OTHERS THEN
        END;
    END LOOP;
END $function$;

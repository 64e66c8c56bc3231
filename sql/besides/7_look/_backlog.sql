-- What is due now under each policy. Counts, so it costs what counting costs.
CREATE OR REPLACE FUNCTION retention._backlog()
RETURNS TABLE (policy text, due bigint, kept jsonb, oldest text, newest text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
DECLARE v_policy retention.policy; v_count retention.due_count;
BEGIN
    FOR v_policy IN SELECT p.* FROM retention.policy p WHERE NOT p.report ORDER BY p.name LOOP
        v_count := retention._count(v_policy.name, clock_timestamp(), NULL, NULL,
            retention._window_at(v_policy, (retention._window_set(v_policy)).older_than, clock_timestamp()));
        policy := v_policy.name; due := v_count.due; kept := v_count.kept; oldest := v_count.oldest;
        newest := v_count.newest;
        RETURN NEXT;
    END LOOP;
END $function$;

-- _count_or_problem counts like _count. If the policy cannot be evaluated, it returns the error as
-- problem, so that one broken policy does not hide the others. A cancel or a timeout still raises
-- 57014.
CREATE OR REPLACE FUNCTION retention._count_or_problem(
    p_policy text, p_as_of timestamptz, p_scope jsonb, p_older_than interval,
    OUT due bigint, OUT kept jsonb, OUT oldest text, OUT newest text, OUT problem text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_count retention.due_count;
BEGIN
    v_count := retention._count(p_policy, p_as_of, NULL, p_scope, p_older_than);
    due := v_count.due; kept := v_count.kept; oldest := v_count.oldest; newest := v_count.newest;
EXCEPTION WHEN OTHERS OR assert_failure THEN problem := SQLERRM;
END $function$;

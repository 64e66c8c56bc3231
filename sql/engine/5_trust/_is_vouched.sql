-- _is_vouched reports whether a run has found no obstacle for this version of a policy (_obstacle),
-- and nothing has changed since then on which this answer rests. It says nothing about holds.
CREATE OR REPLACE FUNCTION retention._is_vouched(p_policy retention.policy) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    RETURN EXISTS (
        SELECT FROM retention.vouched v JOIN retention.policy p ON p.name = v.policy
        CROSS JOIN LATERAL retention._marks(ARRAY[v]) m
        WHERE v.policy = p_policy.name AND p.hash = p_policy.hash AND v.mark = m.mark);
END $function$;

-- _paused returns why a policy is paused. It returns NULL if it is not.
CREATE OR REPLACE FUNCTION retention._paused(p_policy text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $function$
BEGIN
    RETURN (SELECT format('paused by %s at %s%s', s.set_by, s.set_at,
                  CASE WHEN s.reason <> '' THEN ': ' || s.reason ELSE '' END)
    FROM retention.setting s
    WHERE s.name = 'paused' AND s.policy IN (p_policy, split_part(p_policy, '@', 1), '*') ORDER BY s.policy LIMIT 1);
END $function$;

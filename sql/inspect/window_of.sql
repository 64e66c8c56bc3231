-- window_of returns the window in force for a policy. It returns NULL if the window cannot be
-- changed at run time. Raises P0002 for an unknown policy.
CREATE OR REPLACE FUNCTION retention.window_of(policy text) RETURNS interval
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_policy CONSTANT retention.policy := retention._get_policy(window_of.policy);
BEGIN
    RETURN coalesce((retention._window_set(v_policy)).older_than, v_policy.window_own);
END $function$;

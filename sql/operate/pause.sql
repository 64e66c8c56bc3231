-- pause stops a policy, or all policies if policy is NULL. A run in progress ends "paused" before
-- its next batch. Raises P0002 for an unknown policy. Only operators may call it.
CREATE OR REPLACE FUNCTION retention.pause(policy text DEFAULT NULL, reason text DEFAULT '') RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF pause.policy IS NOT NULL AND NOT EXISTS (SELECT FROM retention.each e WHERE e.name = pause.policy) THEN
        PERFORM retention._get_policy(pause.policy);
    END IF;
    PERFORM retention._change_setting(coalesce(pause.policy, '*'), 'paused', 'true', pause.reason);
END $function$;

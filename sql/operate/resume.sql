-- resume ends the pause of a policy. Without an argument it ends the pause of all policies, but a
-- policy that was paused by its name stays paused. It returns false if nothing was paused. Only
-- operators may call it.
CREATE OR REPLACE FUNCTION retention.resume(policy text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN retention._change_setting(coalesce(resume.policy, '*'), 'paused', NULL, '');
END $function$;

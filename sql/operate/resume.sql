-- Undoes pause(): for one policy, or (no argument) for all that were paused together. Answers whether any was.
CREATE OR REPLACE FUNCTION retention.resume(policy text DEFAULT NULL) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN retention._change_setting(coalesce(resume.policy, '*'), 'paused', NULL, '');
END $function$;

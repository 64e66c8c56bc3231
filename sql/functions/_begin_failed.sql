-- Writes down a run that could not even start.
CREATE OR REPLACE FUNCTION retention._begin_failed(p_request retention.request, p_sqlstate text, p_message text)
RETURNS retention.step
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_policy retention.policy; v_run bigint;
BEGIN
    SELECT * INTO v_policy FROM retention.policy p WHERE p.name = p_request.policy;
    IF NOT FOUND THEN
        v_policy := (NULL::retention.policy); v_policy.name := p_request.policy; v_policy.table_name := '';
        v_policy.hash := '';
    END IF;
    v_run := retention._new_run(v_policy, p_request, clock_timestamp());
    RETURN retention._finish(v_run, 'failed', p_sqlstate, p_message);
END $function$;

-- Begins the run that a call asks for, by _begin_run. Whatever keeps it from that is written down as a run that failed.
CREATE OR REPLACE FUNCTION retention._begin(p_request retention.request) RETURNS retention.step
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET row_security = off
AS $function$
DECLARE v_policy retention.policy;
BEGIN
    RETURN retention._begin_run(p_request);
EXCEPTION WHEN query_canceled OR OTHERS THEN
    SELECT * INTO v_policy FROM retention.policy p WHERE p.name = p_request.policy;
    IF NOT FOUND THEN
        v_policy.name := p_request.policy; v_policy.table_name := ''; v_policy.hash := '';
    END IF;
    RETURN retention._finish(retention._new_run(v_policy, p_request, clock_timestamp()), 'failed', SQLSTATE, SQLERRM);
END $function$;

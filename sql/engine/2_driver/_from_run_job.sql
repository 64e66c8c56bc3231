-- _from_run_job returns a request without a job and note that the run log must not show. Every role
-- that may start a run can call _begin and _idle_policies with any request. The function keeps the
-- job only if run_job would make this request. That is, the job runs this policy with this scope,
-- and the request has no window. It removes the caller's note.
CREATE OR REPLACE FUNCTION retention._from_run_job(p_request retention.request) RETURNS retention.request
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_request retention.request := p_request;
BEGIN
    v_request.note := NULL;
    IF v_request.older_than IS NOT NULL OR NOT EXISTS (
        SELECT FROM retention.job j
        WHERE j.name = v_request.job AND split_part(v_request.policy, '@', 1) = ANY (j.policies)
          AND j.scope IS NOT DISTINCT FROM v_request.scope)
    THEN
        v_request.job := NULL;
    END IF;
    RETURN v_request;
END $function$;

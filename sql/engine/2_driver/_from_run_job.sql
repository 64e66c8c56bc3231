-- _from_run_job returns a request whose job and note the run log may show. Every role that may
-- start a run can call _begin and _idle_policies with any request. The job stays only if it runs
-- this policy, with this scope and no other window, as run_job does. The note of a caller is
-- removed.
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

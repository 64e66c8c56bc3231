-- _running returns the row of a run that is running in this session. Otherwise it raises 55000, so
-- that nobody can execute a batch by hand.
CREATE OR REPLACE FUNCTION retention._running(p_run bigint) RETURNS retention.run
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE v_run retention.run;
BEGIN
    SELECT * INTO v_run FROM retention.run r WHERE r.id = p_run AND r.state = 'running' AND r.pid = pg_backend_pid();
    IF NOT FOUND THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format('run %s is not running in this session', p_run),
                  HINT = 'Use CALL retention.run(policy).';
    END IF;
    RETURN v_run;
END $function$;

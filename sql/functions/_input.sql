-- What a batch function needs to know of its run. Refuses (55000) to serve anybody but the driver:
-- the run must be running in this very session. On the path of every batch, hence one statement,
-- and not planned anew each time although the batch functions are.
CREATE OR REPLACE FUNCTION retention._input(p_run bigint) RETURNS retention.batch_input
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = auto
AS $function$
DECLARE
    v_in retention.batch_input;
BEGIN
    SELECT r.as_of, r.id, r.reason, b.next_position,
           least(b.next_rows, p.budget_rows - b.total_taken)::integer, b.next_skip,
           r.scope, r.older_than, r.inputs, false
    INTO v_in
    FROM retention.run r, retention.policy p, retention.batch b
    WHERE r.id = p_run AND r.state = 'running' AND r.pid = pg_backend_pid()
      AND p.name = r.policy AND b.run_id = p_run
    ORDER BY b.n DESC LIMIT 1;
    IF NOT FOUND AND p_run = 0 AND current_setting('pgretain.prove', true) = 'on' THEN
        v_in := ROW(clock_timestamp(), 0, NULL, NULL, 1, true, NULL, NULL, '{}', true);  -- of _prove()
    ELSIF NOT FOUND THEN
        PERFORM retention._running(p_run);
    END IF;
    RETURN v_in;
END
$function$;
REVOKE ALL ON FUNCTION retention._input(bigint) FROM PUBLIC;

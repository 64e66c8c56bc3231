-- _drive runs one policy until the run ends. It writes every outcome into the run log. It has no
-- SET clause, because a procedure with a SET clause cannot COMMIT. Therefore it runs with the
-- caller's search_path, and looks up no name or operator in it. It uses only COMMIT, pg_sleep
-- (after COMMIT) and functions with a fixed search_path. It runs with the caller's privileges.
CREATE OR REPLACE PROCEDURE retention._drive(p_request retention.request, INOUT p_run pg_catalog.int8)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE
    v_since CONSTANT pg_catalog.timestamptz := pg_catalog.clock_timestamp();
    v_step retention.step; v_nap pg_catalog.float8; v_cancelled pg_catalog.bool;
BEGIN
    v_step := retention._begin(p_request, v_since);
    COMMIT AND CHAIN;
    WHILE v_step.run_id IS NULL LOOP  -- another run has the table
        v_cancelled := false;
        BEGIN
            PERFORM pg_catalog.pg_sleep(0.5);
        EXCEPTION WHEN query_canceled THEN v_cancelled := true;
        END;
        v_step := retention._begin(p_request, v_since, v_cancelled);
        COMMIT AND CHAIN;
    END LOOP;
    WHILE v_step.going LOOP
        v_step := retention._step(v_step.run_id);
        COMMIT AND CHAIN;
        WHILE v_step.wake_at IS NOT NULL LOOP
            BEGIN
                v_nap := retention._throttle_sleep(v_step.run_id, v_step.wake_at);
                EXIT WHEN v_nap IS NULL;
                PERFORM pg_catalog.pg_sleep(v_nap);
            EXCEPTION WHEN query_canceled THEN v_step := retention._step(v_step.run_id, true);
            END;
            COMMIT AND CHAIN;
        END LOOP;
    END LOOP;
    p_run := v_step.run_id;
END $procedure$;

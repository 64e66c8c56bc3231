-- The driver of every run. It never raises: whatever happens ends up in the run log. It runs with
-- its caller's rights and search_path, which nobody can pin (a SET clause would forbid COMMIT), so
-- it holds no operator and no unqualified name: only COMMIT, pg_sleep and functions that are
-- pinned. It sleeps only after COMMIT.
-- https://www.postgresql.org/docs/current/plpgsql-transactions.html
CREATE OR REPLACE PROCEDURE retention._drive(p_request retention.request, INOUT p_run pg_catalog.int8)
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE v_step retention.step; v_nap pg_catalog.float8; v_sqlstate pg_catalog.text; v_message pg_catalog.text;
BEGIN
    BEGIN
        v_step := retention._begin(p_request);
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        GET STACKED DIAGNOSTICS v_sqlstate = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT;
        v_step := retention._begin_failed(p_request, v_sqlstate, v_message);
    END;
    COMMIT AND CHAIN;
    WHILE v_step.going LOOP
        BEGIN
            v_step := retention._step(v_step.run_id);
        EXCEPTION WHEN query_canceled OR OTHERS THEN
            GET STACKED DIAGNOSTICS v_sqlstate = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT;
            v_step := retention._step_failed(v_step.run_id, v_sqlstate, v_message);
        END;
        COMMIT AND CHAIN;
        LOOP
            v_nap := retention._nap(v_step.wake_at);
            EXIT WHEN v_nap IS NULL;
            BEGIN
                PERFORM pg_catalog.pg_sleep(v_nap);
            EXCEPTION WHEN query_canceled OR OTHERS THEN
                GET STACKED DIAGNOSTICS v_sqlstate = RETURNED_SQLSTATE, v_message = MESSAGE_TEXT;
                v_step := retention._step_failed(v_step.run_id, v_sqlstate, v_message);
            END;
            COMMIT AND CHAIN;
        END LOOP;
    END LOOP;
    p_run := v_step.run_id;
END $procedure$;

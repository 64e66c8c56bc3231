-- Lets the next run of the policy of a tripped run pass its breaker, once, as long as the policy
-- is the same. Raises 55000 for a run that the breaker did not stop.
CREATE OR REPLACE FUNCTION retention.accept(run_id bigint, reason text DEFAULT '') RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
#variable_conflict use_column
DECLARE v_run retention.run;
BEGIN
    SELECT r.* INTO v_run FROM retention.run r
    JOIN retention.policy p ON p.name = r.policy AND p.hash = r.policy_hash
    WHERE r.id = accept.run_id AND r.state = 'tripped'
        AND (r.due > r.breaker_limit OR r.due IS NULL AND r.breaker_limit IS NOT NULL);
    IF NOT FOUND THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('run %s was not stopped by the breaker of today''s policy', accept.run_id);
    END IF;
    PERFORM retention._change_setting(v_run.policy, 'accepted', v_run.policy_hash, accept.reason);
    RETURN v_run.policy;
END $function$;

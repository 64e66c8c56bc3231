-- Lets the next run of a policy pass its breaker and take so many rows at most, as long as the policy is the same.
-- Without a number it takes all that are due; the last run must have tripped by the breaker then (55000).
CREATE OR REPLACE FUNCTION retention.accept(policy text, reason text DEFAULT '', rows bigint DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_policy CONSTANT retention.policy := retention._known(accept.policy, true); v_run retention.run;
BEGIN
    SELECT r.* INTO v_run FROM retention.run r
    WHERE r.policy = v_policy.name AND NOT r.dry_run AND r.state NOT IN ('running', 'busy', 'paused')
    ORDER BY r.id DESC LIMIT 1;
    IF accept.rows < 1 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is no number of rows to take', accept.rows);
    ELSIF accept.rows IS NULL AND (v_run.state, v_run.policy_hash, v_run.breaker_limit IS NOT NULL)
                                  IS DISTINCT FROM ('tripped', v_policy.hash, true) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('the breaker of today''s policy "%s" did not stop its last run', v_policy.name),
            HINT = 'Say how many rows the next run may take: retention.preview() counts what is due.';
    END IF;
    PERFORM retention._change_setting(
        v_policy.name, 'accepted', concat_ws(' ', v_policy.hash, accept.rows), accept.reason);
END $function$;

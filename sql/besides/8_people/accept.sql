-- Lets the next run of a policy pass its breaker and take so many rows at most, as long as the policy is the same.
-- Without a number it takes all that are due; the last run must have tripped by the breaker then (55000). Raises 55000
-- also while something else than the breaker stops the policy, which no acceptance passes.
CREATE OR REPLACE FUNCTION retention.accept(policy text, reason text DEFAULT '', rows bigint DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._known(accept.policy, true); v_run retention.run; v_why record;
BEGIN
    SELECT r.* INTO v_run FROM retention.run r
    WHERE r.policy = v_policy.name AND NOT r.dry_run AND r.state NOT IN ('running', 'busy', 'paused')
    ORDER BY r.id DESC LIMIT 1;
    IF accept.rows < 1 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is no number of rows to take', accept.rows);
    END IF;
    SELECT o.* INTO v_why FROM retention._obstacle(v_policy, clock_timestamp(), true) o;
    IF v_why.message IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('policy "%s" is stopped, and not by its breaker: %s', v_policy.name, v_why.message),
            HINT = retention._way_out(v_why.tripped_by, v_policy.name, v_why.message);
    ELSIF v_run.tripped_by <> 'breaker' AND v_run.policy_hash = v_policy.hash AND accept.rows IS NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('the last run of "%s" was not stopped by its breaker: %s', v_policy.name, v_run.message),
            HINT = CASE v_run.tripped_by WHEN 'clock' THEN retention._way_out('clock', v_policy.name, v_run.message)
                ELSE format('That is mended. The next run goes on; now it does by CALL retention.run(%L).',
                            v_policy.name) END;
    ELSIF accept.rows IS NULL AND (v_run.tripped_by, v_run.policy_hash)
                                  IS DISTINCT FROM ('breaker', v_policy.hash) THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('the breaker of today''s policy "%s" did not stop its last run', v_policy.name),
            HINT = 'Say how many rows the next run may take: retention.preview() counts what is due.';
    END IF;
    PERFORM retention._change_setting(
        v_policy.name, 'accepted', concat_ws(' ', v_policy.hash, accept.rows), accept.reason);
END $function$;

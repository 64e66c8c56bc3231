-- accept lets the next run of a policy pass its breaker, once. It applies to the next run with the
-- same scope, as long as the policy is not changed. Only operators may call it. It locks no table
-- of the application.
-- run: the number of the run that the breaker stopped. It must be the last run with its scope.
--   Without it, the breaker must have stopped the last run of exactly one scope.
-- rows: the next run passes if at most this many rows are due. Otherwise it trips and takes no row.
--   With rows, the breaker need not have stopped a run. Without rows, the next run may take all due
--   rows.
-- scope: the scope of the run
-- Raises 22023 for rows below 1, and P0002 for an unknown policy. Raises 55000 if the breaker did
-- not stop such a run, or if something other than the breaker stops the policy.
-- Example: SELECT retention.accept('signals', 'the backlog of March', run => 4711);
CREATE OR REPLACE FUNCTION retention.accept(
    policy text, reason text DEFAULT '', rows bigint DEFAULT NULL, run bigint DEFAULT NULL, scope jsonb DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(accept.policy, true);
    v_stopped retention.run[]; v_run retention.run; v_scopes text[]; v_why record;
BEGIN
    IF accept.rows < 1 THEN
        RAISE invalid_parameter_value USING MESSAGE = format('rows must be at least 1, not %s', accept.rows);
    END IF;
    SELECT o.* INTO v_why FROM retention._obstacle(v_policy, clock_timestamp()) o;
    IF v_why.message IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('policy "%s" is stopped by something other than its breaker: %s', v_policy.name,
                v_why.message),
            HINT = retention._trip_hint(v_why.tripped_by, v_policy.name, v_why.message);
    END IF;
    v_stopped := ARRAY(
        SELECT DISTINCT r FROM retention.job_status s
        CROSS JOIN LATERAL (
            SELECT * FROM retention.run x
            WHERE x.policy = s.policy AND x.id <= s.last_run AND x.state NOT IN ('running', 'busy', 'paused')
              AND NOT x.dry_run AND retention._scope_text(x.scope) = retention._scope_text(s.scope)
            ORDER BY x.id DESC LIMIT 1) r
        WHERE s.policy = v_policy.name AND (NOT s.superseded OR s.last_run = accept.run)
          AND r.state = 'tripped' AND r.policy_hash = v_policy.hash
          AND (accept.run IS NULL OR r.id = accept.run)
          AND (accept.scope IS NULL OR retention._scope_text(r.scope) = retention._scope_text(accept.scope)));
    v_run := (SELECT s FROM unnest(v_stopped) s WHERE s.tripped_by <> 'breaker' ORDER BY s.id DESC LIMIT 1);
    v_stopped := ARRAY(SELECT s FROM unnest(v_stopped) s WHERE s.tripped_by = 'breaker' ORDER BY s.id);
    v_scopes := ARRAY(SELECT DISTINCT retention._scope_text(s.scope) FROM unnest(v_stopped) s);
    IF accept.rows IS NOT NULL AND accept.run IS NULL AND cardinality(v_scopes) = 0 THEN
        v_scopes := ARRAY(SELECT DISTINCT retention._scope_text(coalesce(accept.scope, s.scope))
                          FROM retention._scopes(v_policy.name) s (scope));
    END IF;
    IF cardinality(v_scopes) = 0 AND v_run.id IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('the last run of "%s" was not stopped by its breaker: %s', v_policy.name, v_run.message),
            HINT = CASE v_run.tripped_by WHEN 'clock' THEN retention._trip_hint('clock', v_policy.name, v_run.message)
                ELSE 'The cause is gone, so the next run goes on. To run now: '
                    || retention._run_again(v_policy.name, v_run.scope) END;
    ELSIF cardinality(v_scopes) = 0 THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = CASE WHEN accept.run IS NULL
                THEN format('the breaker did not stop the last run of policy "%s" as it is now', v_policy.name)
                ELSE format('run %s is not the last run of policy "%s" that its breaker stopped', accept.run,
                            v_policy.name) END,
            HINT = 'Give rows => N, the most rows that the next run may take. retention.preview() counts the due rows.';
    ELSIF cardinality(v_scopes) > 1 THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = format('policy "%s" runs with several scopes, and the call selects none', v_policy.name),
            HINT = CASE WHEN v_stopped = '{}' THEN 'Give scope => ''{...}''.'
                ELSE (SELECT 'Call ' || string_agg(format('SELECT retention.accept(%L, %L, run => %s);', v_policy.name,
                          accept.reason, s.id), ' ' ORDER BY s.id) FROM unnest(v_stopped) s) END;
    END IF;
    PERFORM retention._change_setting(
        v_policy.name, 'accepted', concat_ws(' ', v_policy.hash, accept.rows), accept.reason, v_scopes[1]);
END $function$;

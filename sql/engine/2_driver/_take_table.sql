-- _take_table inserts the row of a run with state "running". A unique index allows one such row for
-- each table. If a row's session no longer exists, _take_table first ends that run as "abandoned".
-- Raises 55P03 while another run, or a restore, of the table is in progress.
CREATE OR REPLACE FUNCTION retention._take_table(
    p_policy retention.policy, p_request retention.request, p_started timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $function$
DECLARE v_run bigint; v_other retention.run;
BEGIN
    LOOP
        BEGIN
            v_run := retention._new_run(p_policy, p_request, p_started, 'running');
        EXCEPTION WHEN lock_not_available THEN
            RAISE lock_not_available USING HINT = 'Wait for its end, and call again.', MESSAGE = format(
                'a restore(), a preview_job(), a dry run or the start of a run on table "%s" is not committed yet',
                p_policy.table_name);
        END;
        IF v_run IS NOT NULL THEN RETURN v_run; END IF;
        SELECT * INTO v_other FROM retention.run r WHERE r.table_name = p_policy.table_name AND r.state = 'running';
        CONTINUE WHEN v_other.id IS NULL;  -- the other run has just ended
        IF v_other.pid <> pg_backend_pid() AND retention._is_running(v_other.id) THEN
            RAISE lock_not_available USING HINT = 'Wait for its end, or stop it with retention.pause().',
                MESSAGE = format('run %s of policy "%s" is running in backend %s (role %s)',
                    v_other.id, v_other.policy, v_other.pid, v_other.role);
        END IF;
        PERFORM retention._finish(v_other.id, 'abandoned', NULL, 'the call of this run is gone');
    END LOOP;
END $function$;

-- Writes the row of a run that is "running" from here on: one of a table at a time, which an index sees to. Another one
-- whose call is gone ends here as "abandoned". run is NULL where one is under way, and message says which, for people.
CREATE OR REPLACE FUNCTION retention._take_table(
    p_policy retention.policy, p_request retention.request, p_started timestamptz, OUT run bigint, OUT message text)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $function$
DECLARE v_other retention.run;
BEGIN
    PERFORM retention._finish(r.id, 'abandoned', NULL, 'its call ended while a batch was being committed')
    FROM retention.run r WHERE r.state = 'running' AND r.pid = pg_backend_pid();
    LOOP
        run := retention._new_run(p_policy, p_request, p_started, 'running');
        EXIT WHEN run IS NOT NULL;
        SELECT * INTO v_other FROM retention.run r WHERE r.table_name = p_policy.table_name AND r.state = 'running';
        CONTINUE WHEN v_other.id IS NULL;  -- it has just ended
        IF retention._under_way(v_other.id) THEN
            message := format('run %s of policy "%s" is under way in backend %s (role %s)', v_other.id, v_other.policy,
                v_other.pid, v_other.role);
            RETURN;
        END IF;
        PERFORM retention._finish(v_other.id, 'abandoned', NULL, 'the backend of this run is gone');
    END LOOP;
EXCEPTION WHEN lock_not_available THEN
    run := NULL; message := 'a restore, or a run that is just starting or ending, has the table';
END $function$;

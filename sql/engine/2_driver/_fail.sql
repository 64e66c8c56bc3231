-- _fail ends a run that an error stopped. The run ends "tripped" if an obstacle for the policy
-- exists now, because the obstacle may have caused the error. For example, ALTER TABLE dropped a
-- column. After a cancel the run ends "stopped". Otherwise the run ends "failed".
-- Ctrl-C, pg_cancel_backend() and statement_timeout all raise 57014. It was statement_timeout if
-- the call is as old as this setting. The text of the error is translated, so it does not tell.
CREATE OR REPLACE FUNCTION retention._fail(p_run bigint, p_sqlstate text, p_message text) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_why record; v_limit CONSTANT interval := nullif(current_setting('statement_timeout'), '0');
BEGIN
    IF p_sqlstate = 'PR004' THEN
        RETURN retention._finish(p_run, 'tripped', NULL, p_message, 'trust');
    -- The timer may start a moment before the time of statement_timestamp().
    ELSIF p_sqlstate = '57014' AND clock_timestamp() > statement_timestamp() + v_limit - interval '100 ms' THEN
        RETURN retention._finish(p_run, 'failed', p_sqlstate,
            format('statement_timeout (%s) cancelled the call', current_setting('statement_timeout')));
    ELSIF p_sqlstate = '57014' THEN
        RETURN retention._finish(p_run, 'stopped', p_sqlstate, 'stopped by user');
    END IF;
    BEGIN
        SELECT o.* INTO v_why FROM retention.run r JOIN retention.policy p ON p.name = r.policy
        CROSS JOIN LATERAL retention._obstacle(p, r.as_of) o
        WHERE r.id = p_run AND o.tripped_by IS NOT NULL;
    EXCEPTION WHEN OTHERS OR assert_failure THEN NULL;  -- the log keeps the first error
    END;
    IF v_why.tripped_by IS NOT NULL THEN
        RETURN retention._finish(p_run, 'tripped', NULL, v_why.message, v_why.tripped_by);
    END IF;
    RETURN retention._finish(p_run, 'failed', p_sqlstate, p_message);
END $function$;

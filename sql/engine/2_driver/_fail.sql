-- _fail ends a run that an error stopped. The run ends "tripped" if an obstacle for the policy
-- exists now, because the obstacle may have caused the error. For example, ALTER TABLE dropped a
-- column. Otherwise, or after a cancel, the run ends "failed".
CREATE OR REPLACE FUNCTION retention._fail(p_run bigint, p_sqlstate text, p_message text) RETURNS retention.step
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_why record;
BEGIN
    IF p_sqlstate = 'PR004' THEN RETURN retention._finish(p_run, 'tripped', NULL, p_message, 'trust'); END IF;
    BEGIN
        SELECT o.* INTO v_why FROM retention.run r JOIN retention.policy p ON p.name = r.policy
        CROSS JOIN LATERAL retention._obstacle(p, r.as_of, true) o
        WHERE r.id = p_run AND p_sqlstate <> '57014' AND o.tripped_by IS NOT NULL;
    EXCEPTION WHEN OTHERS OR assert_failure THEN NULL;  -- the log keeps the first error
    END;
    IF v_why.tripped_by IS NOT NULL THEN
        RETURN retention._finish(p_run, 'tripped', NULL, v_why.message, v_why.tripped_by);
    END IF;
    RETURN retention._finish(p_run, 'failed', p_sqlstate, p_message);
END $function$;

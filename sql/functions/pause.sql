-- Stops a policy, or all of them (no argument), before the next batch of a run under way.
CREATE OR REPLACE FUNCTION retention.pause(policy text DEFAULT NULL, reason text DEFAULT '')
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $function$
#variable_conflict use_column
BEGIN
    IF pause.policy IS NOT NULL THEN
        PERFORM retention._known(pause.policy);
    END IF;
    INSERT INTO retention.setting (policy, name, value, reason)
    VALUES (coalesce(pause.policy, '*'), 'paused', 'true', coalesce(pause.reason, ''))
    ON CONFLICT ON CONSTRAINT setting_pkey DO UPDATE
    SET reason = excluded.reason, set_by = session_user, set_at = clock_timestamp();
END
$function$;
REVOKE ALL ON FUNCTION retention.pause(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention.pause(text, text) TO retention_operator;

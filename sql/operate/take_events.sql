-- take_events deletes events and returns them, oldest first. Operators may call it, and
-- applications that are granted EXECUTE.
-- p_limit: how many events it takes at most
-- p_policy, p_event: take only events of this policy, and with this name
-- It skips events that another session is taking. Only one transaction that commits takes an event.
-- After a rollback or a crash, another call returns the event again. So handling an event twice
-- must do no harm.
-- Example: BEGIN; SELECT * FROM retention.take_events(10, p_event => 'account.gone'); ... COMMIT;
CREATE OR REPLACE FUNCTION retention.take_events(
    p_limit integer DEFAULT 100, p_policy text DEFAULT NULL, p_event text DEFAULT NULL)
RETURNS SETOF retention.event LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN QUERY WITH taken AS (
        DELETE FROM retention.event e
        WHERE e.id = ANY (ARRAY(
            SELECT x.id FROM retention.event x
            WHERE (p_policy IS NULL OR x.policy = p_policy) AND (p_event IS NULL OR x.event = p_event)
            ORDER BY x.id LIMIT p_limit FOR UPDATE SKIP LOCKED))
        RETURNING e.*
    )
    SELECT t.* FROM taken t ORDER BY t.id;
END $function$;

-- _new_run inserts the row of a run that starts now, and returns its number. It returns NULL if
-- p_state is "running" and another run of the table is "running". The row of a report, or of a run
-- that cannot start, never has the state "running".
-- Raises 55000 if a subscription fills the run log. A row here could have a number that the
-- publisher uses next, and so stop the replication.
CREATE OR REPLACE FUNCTION retention._new_run(
    p_policy retention.policy, p_request retention.request, p_started timestamptz, p_state text DEFAULT 'busy',
    OUT run bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF EXISTS (SELECT FROM pg_subscription_rel r WHERE r.srrelid = 'retention.run'::regclass) THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = 'a subscription fills the run log',
            HINT = 'Start runs on the publisher. To start them here instead, first DROP SUBSCRIPTION, then call '
                   '"pgretain adopt".';
    END IF;
    INSERT INTO retention.run (policy, job, table_name, policy_hash, as_of, reason, scope, older_than, dry_run, note,
                               state, started_at)
    VALUES (coalesce(p_policy.name, p_request.policy), p_request.job, coalesce(p_policy.table_name, ''),
            coalesce(p_policy.hash, ''), coalesce(p_request.as_of, p_started), p_request.reason, p_request.scope,
            p_request.older_than, coalesce(p_request.dry_run, false), p_request.note, p_state, p_started)
    ON CONFLICT (table_name) WHERE state = 'running' DO NOTHING RETURNING id INTO run;
END $function$;

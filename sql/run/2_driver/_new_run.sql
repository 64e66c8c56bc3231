-- Writes the row of a run that starts now, and answers its id: NULL where another run of the table is "running". What
-- takes no rows (a dry run, a report, a run that cannot start) is never "running".
CREATE OR REPLACE FUNCTION retention._new_run(
    p_policy retention.policy, p_request retention.request, p_started timestamptz, p_state text DEFAULT 'busy')
RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_run bigint;
BEGIN
    INSERT INTO retention.run
        (policy, job, table_name, policy_hash, as_of, reason, scope, older_than, dry_run, note, state, started_at)
    VALUES (p_policy.name, p_request.job, p_policy.table_name, p_policy.hash,
            coalesce(p_request.as_of, p_started), p_request.reason, p_request.scope,
            p_request.older_than, coalesce(p_request.dry_run, false), p_request.note, p_state, p_started)
    ON CONFLICT (table_name) WHERE state = 'running' DO NOTHING
    RETURNING id INTO v_run;
    RETURN v_run;
END $function$;

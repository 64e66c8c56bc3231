-- _mended reports whether nothing that can be seen stops the next run, after a run that went wrong.
-- After a breaker, the run was accepted with enough rows. After an error, or values of a clock, the
-- policy was migrated since; whether the error is gone, only the next run can tell.
-- Plans the policy's query, with ACCESS SHARE on its tables and at most 1 s for each lock, if a name
-- in the policy can mean another object than it did.
CREATE OR REPLACE FUNCTION retention._mended(p_run bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_run retention.run; v_policy retention.policy;
BEGIN
    SELECT * INTO v_run FROM retention.run r WHERE r.id = p_run;
    SELECT * INTO v_policy FROM retention.policy p WHERE p.name = v_run.policy;
    RETURN CASE
        WHEN v_policy.name IS NULL THEN false
        WHEN v_run.tripped_by = 'breaker' AND NOT EXISTS (
            SELECT FROM retention.setting s
            WHERE (s.policy, s.name, s.scope) = (v_run.policy, 'accepted', retention._scope_text(v_run.scope))
              AND split_part(s.value, ' ', 1) = v_policy.hash
              AND (nullif(split_part(s.value, ' ', 2), '')::bigint >= v_run.due) IS NOT FALSE) THEN false
        WHEN coalesce(v_run.tripped_by, 'clock') = 'clock' AND v_run.state <> 'abandoned'
            AND v_policy.installed_at <= coalesce(v_run.ended_at, v_run.started_at) THEN false
        ELSE (SELECT o.message IS NULL FROM retention._obstacle(v_policy, clock_timestamp(), true) o) END;
END $function$;

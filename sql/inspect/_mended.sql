-- _mended reports whether nothing visible stops the next run, after a run that failed, tripped or
-- was abandoned. All of these must be true:
-- - _obstacle finds nothing.
-- - If the breaker stopped the run, an operator has accepted enough rows.
-- - If an error or the values of a clock stopped the run, the policy was migrated since. Only the
--   next run can tell whether the cause still exists.
-- If a name in the policy can mean another object than before, it plans the policy's query. That
-- takes ACCESS SHARE on the policy's tables, and waits at most 1 s for each lock.
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
        ELSE (SELECT o.message IS NULL FROM retention._obstacle(v_policy, clock_timestamp()) o) END;
END $function$;

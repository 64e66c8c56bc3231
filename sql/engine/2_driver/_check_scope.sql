-- _check_scope raises 22023 if a call by hand has a scope that the policy does not allow. run()
-- calls it before it writes anything. It accepts an unknown policy, because the run reports that
-- error.
CREATE OR REPLACE FUNCTION retention._check_scope(p_policy text, p_scope jsonb) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_policy retention.policy;
BEGIN
    FOR v_policy IN
        SELECT p.* FROM retention.policy p WHERE p.name = p_policy
        UNION ALL
        SELECT r.* FROM retention.each e CROSS JOIN LATERAL jsonb_populate_record(
            NULL::retention.policy, e.registers || jsonb_build_object('name', e.name, 'scope', coalesce(
                e.registers -> 'scope', '[]'))) r
        WHERE e.name = p_policy
    LOOP
        PERFORM retention._checked_scope(v_policy, p_scope);
    END LOOP;
END $function$;

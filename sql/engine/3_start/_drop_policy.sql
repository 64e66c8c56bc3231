-- _drop_policy drops a policy or report, with the objects that it owns and its settings. The
-- policy's rows in the run log, and all holds, stay.
CREATE OR REPLACE FUNCTION retention._drop_policy(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    PERFORM retention._begin_policy(p_policy, '');
    PERFORM retention._change_setting(s.policy, s.name, NULL, 'the policy was dropped', s.scope)
    FROM retention.setting s
    WHERE s.policy = p_policy AND NOT EXISTS (SELECT FROM retention.each e WHERE e.name = p_policy);
    DELETE FROM retention.policy p WHERE p.name = p_policy;
    DELETE FROM retention.probe b WHERE b.policy = p_policy;
    DELETE FROM retention.vouched v WHERE v.policy = p_policy;
END $function$;

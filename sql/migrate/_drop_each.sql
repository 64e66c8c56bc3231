-- _drop_each drops a policy that exists once for each schema or shard, and its instances. Their
-- rows in the run log, and all holds, stay.
CREATE OR REPLACE FUNCTION retention._drop_each(p_name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    DELETE FROM retention.each e WHERE e.name = p_name;
    PERFORM retention._drop_policy(p.name) FROM retention.policy p WHERE starts_with(p.name, p_name || '@');
    EXECUTE format('DROP ROUTINE IF EXISTS retention.%I', p_name || '_admit');
    PERFORM retention._change_setting(s.policy, s.name, NULL, 'the policy was dropped', s.scope)
    FROM retention.setting s
    WHERE s.policy = p_name AND NOT EXISTS (SELECT FROM retention.policy p WHERE p.name = p_name);
END $function$;

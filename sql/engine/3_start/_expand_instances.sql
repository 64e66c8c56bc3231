-- _expand_instances returns the policies and reports of a call. It replaces a policy for each
-- schema or shard by its instances. It drops instances whose schema or table no longer exists. One
-- call at a time does this.
CREATE OR REPLACE FUNCTION retention._expand_instances(p_policies text[]) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_each text; v_members text[];
BEGIN
    FOR v_each IN SELECT e.name FROM retention.each e WHERE e.name = ANY (p_policies) FOR UPDATE LOOP
        v_members := retention._next_instances(v_each);
        PERFORM retention._drop_policy(p.name) FROM retention.policy p
        WHERE starts_with(p.name, v_each || '@') AND p.name <> ALL (v_members);
        p_policies := p_policies[:array_position(p_policies, v_each) - 1] || v_members
            || p_policies[array_position(p_policies, v_each) + 1:];
    END LOOP;
    RETURN p_policies;
END $function$;

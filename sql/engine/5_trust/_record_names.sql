-- _record_names records which objects the names of a policy or report can mean now, and writes its
-- probe. If p_policy is NULL, it does so for all policies and reports.
CREATE OR REPLACE FUNCTION retention._record_names(p_policy text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
BEGIN
    UPDATE retention.policy p SET names = retention._names(p) WHERE p.name = coalesce(p_policy, p.name);
    UPDATE retention.policy p SET candidates = c.objects
    FROM retention._candidates(ARRAY(
        SELECT q FROM retention.policy q WHERE q.name = coalesce(p_policy, q.name))) c WHERE c.policy = p.name;
    PERFORM retention._put_probe(p_policy);
END $function$;

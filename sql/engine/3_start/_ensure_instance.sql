-- _ensure_instance makes the page of a member that has none, or that of an earlier version of its policy. Other policies, and
-- reports, have theirs. Raises what _lock_shard and _instantiate raise.
CREATE OR REPLACE FUNCTION retention._ensure_instance(p_policy text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF strpos(p_policy, '@') > 0 THEN
        PERFORM retention._lock_shard(p_policy);
        PERFORM retention._instantiate(p_policy);
    END IF;
END $function$;

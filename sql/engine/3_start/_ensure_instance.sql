-- _ensure_instance creates the functions of an instance if they do not exist, or are those of an
-- older version of its policy. It does nothing for other policies and reports. It raises the errors
-- of _lock_shard and _instantiate.
CREATE OR REPLACE FUNCTION retention._ensure_instance(p_policy text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF strpos(p_policy, '@') > 0 THEN
        PERFORM retention._lock_shard(p_policy);
        PERFORM retention._instantiate(p_policy);
    END IF;
END $function$;

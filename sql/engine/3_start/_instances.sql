-- _instances returns the schemas, or the shards on this node, for which a policy has instances.
-- names: pairs of a text to replace in the policy's SQL and its replacement
CREATE OR REPLACE FUNCTION retention._instances(p_each retention.each) RETURNS TABLE (place text, names jsonb)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF p_each.shards THEN
        RETURN QUERY EXECUTE format('SELECT * FROM retention.%I()', p_each.name || '_admit');
        RETURN;
    END IF;
    RETURN QUERY
    SELECT n.nspname::text, jsonb_build_array(jsonb_build_array(p_each.placeholder, n.nspname)) FROM pg_namespace n
    WHERE n.nspname LIKE replace(replace(p_each.schemas, '_', '!_'), '*', '%') ESCAPE '!'
      AND EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid
                  AND c.relname = substr(p_each.registers ->> 'table_name', length(p_each.placeholder) + 2)::name);
END $function$;

-- What _untrusted says of the relations and schemas of a policy or report: no row, and its page may be evaluated.
CREATE OR REPLACE FUNCTION retention._foreign_code(p_policy retention.policy) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN QUERY SELECT u FROM retention._untrusted(
        retention._family(ARRAY(SELECT jsonb_object_keys(p_policy.expects)) || p_policy.changes || p_policy.reach),
        p_policy.schemas || (SELECT string_to_array(i.search_path, ', ') FROM retention.install i)) u;
END $function$;

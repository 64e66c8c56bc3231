-- _get_policy returns the registry's row of a policy. Raises P0002 if there is none.
-- p_next: true if the caller needs the functions that the next run will use. Raises 55000 if the
--   functions of an instance are those of an older version of its policy.
CREATE OR REPLACE FUNCTION retention._get_policy(p_policy text, p_next boolean DEFAULT false) RETURNS retention.policy
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
AS $function$
DECLARE v_policy retention.policy;
BEGIN
    SELECT * INTO v_policy FROM retention.policy p WHERE p.name = p_policy;
    IF NOT FOUND THEN
        RAISE no_data_found USING MESSAGE = format('there is no policy "%s"', p_policy),
            HINT = coalesce((SELECT format('It has one instance for each schema that matches %s. Give the name of '
                                            'an instance, "%s@" and the schema.',
                                            e.schemas, e.name) FROM retention.each e WHERE e.name = p_policy),
                            'SELECT name FROM retention.policy lists them.');
    ELSIF p_next AND v_policy.hash = '' THEN
        RAISE object_not_in_prerequisite_state USING HINT = 'The next run re-creates them, even with dry_run => true.',
            MESSAGE = format('the functions of "%s" are those of an older version of its policy', p_policy);
    END IF;
    RETURN v_policy;
END $function$;

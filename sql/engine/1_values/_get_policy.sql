-- Raises P0002 when there is no such policy; 55000 where p_next, what the next run does, goes by a page made anew.
CREATE OR REPLACE FUNCTION retention._get_policy(p_policy text, p_next boolean DEFAULT false) RETURNS retention.policy
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_policy retention.policy;
BEGIN
    SELECT * INTO v_policy FROM retention.policy p WHERE p.name = p_policy;
    IF NOT FOUND THEN
        RAISE no_data_found USING MESSAGE = format('there is no policy "%s"', p_policy),
            HINT = coalesce((SELECT format('It is for each schema like %s: name a member, "%s@...".',
                                            e.schemas, e.name) FROM retention.each e WHERE e.name = p_policy),
                            'SELECT name FROM retention.policy lists them.');
    ELSIF p_next AND v_policy.hash = '' THEN
        RAISE object_not_in_prerequisite_state USING HINT = 'A run makes it anew, also one with dry_run => true.',
            MESSAGE = format('the page of "%s" is that of an earlier version of its policy', p_policy);
    END IF;
    RETURN v_policy;
END $function$;

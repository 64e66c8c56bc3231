-- _idle_policies_as_worker returns the policies that have no due row. It does not evaluate guards
-- and holds, and stops after a second. After each policy it rolls back everything that the
-- evaluation did, with its locks and settings. It does not return a policy that raises an error.
CREATE OR REPLACE FUNCTION retention._idle_policies_as_worker(p_policies jsonb, p_as_of timestamptz) RETURNS SETOF text
LANGUAGE plpgsql AS $function$
DECLARE v_until CONSTANT timestamptz := clock_timestamp() + interval '1 s'; v_policy text; v_due bigint;
BEGIN
    IF EXISTS (SELECT FROM retention._foreign_code(ARRAY(
        SELECT p FROM retention.policy p WHERE p_policies ? p.name))) THEN RETURN; END IF;
    FOR v_policy IN SELECT * FROM jsonb_array_elements_text(p_policies) LOOP
        v_due := NULL;
        BEGIN
            v_due := retention._due_as_worker(v_policy, p_as_of, 1, false, NULL, NULL);
            RAISE SQLSTATE 'PR009';
        EXCEPTION WHEN OTHERS OR assert_failure THEN
            IF v_due = 0 THEN RETURN NEXT v_policy; END IF;
        END;
        EXIT WHEN clock_timestamp() > v_until;
    END LOOP;
END $function$;

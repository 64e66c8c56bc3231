-- _pin_all prepares the evaluation of several policies. It asks once what _pin asks for each. It
-- returns the policies that the caller must not evaluate, because code of a role that is not
-- trusted could run: a JSON object that maps policies to sentences. The caller rolls back what the
-- evaluation of a policy set. Raises 42501 if the evaluation would not run as the worker.
CREATE OR REPLACE FUNCTION retention._pin_all(p_policies retention.policy[]) RETURNS jsonb
LANGUAGE plpgsql AS $function$
DECLARE v_foreign jsonb := '{}';
BEGIN
    PERFORM retention._refuse_other_roles();
    IF EXISTS (SELECT FROM retention._foreign_code(p_policies)) THEN
        v_foreign := (
            SELECT coalesce(jsonb_object_agg(p.name, x.sentence), '{}')
            FROM unnest(p_policies) p
            CROSS JOIN LATERAL (SELECT f FROM retention._foreign_code(ARRAY[p]) f LIMIT 1) x (sentence));
    END IF;
    PERFORM retention._pin_settings();
    RETURN v_foreign;
END $function$;

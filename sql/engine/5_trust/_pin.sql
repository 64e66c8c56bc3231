-- _pin prepares the evaluation of a policy or report. Raises 42501 if the evaluation would not run
-- as the worker. Raises PR004 if the evaluation could run code of a role that is not trusted. Then
-- it sets the settings on which expressions depend.
CREATE OR REPLACE FUNCTION retention._pin(p_policy retention.policy) RETURNS void
LANGUAGE plpgsql AS $function$
DECLARE v_foreign text;
BEGIN  -- in PL/pgSQL, which caches the plan
    PERFORM retention._refuse_other_roles();
    IF NOT retention._is_vouched(p_policy) THEN
        v_foreign := (SELECT f FROM retention._foreign_code(ARRAY[p_policy]) f LIMIT 1);
    END IF;
    IF v_foreign IS NOT NULL THEN RAISE EXCEPTION USING ERRCODE = 'PR004', MESSAGE = v_foreign; END IF;
    PERFORM retention._pin_settings();
END $function$;

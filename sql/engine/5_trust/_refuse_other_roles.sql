-- Raises 42501 where what follows would not be evaluated as the worker, or in a session that could become somebody else
-- by RESET ROLE: the worker may have changed the attributes of its functions.
CREATE OR REPLACE FUNCTION retention._refuse_other_roles() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE c_worker CONSTANT name := 'retention_worker';  -- '' where one role does everything
BEGIN
    IF c_worker <> '' AND (current_user <> c_worker OR session_user = c_worker OR current_setting('role') = c_worker)
    THEN
        RAISE insufficient_privilege USING MESSAGE = format(
            'policies are evaluated by functions of role "%s", not in a session of "%s"', c_worker, current_user);
    END IF;
END $function$;

-- _refuse_other_roles raises 42501 unless the current role is the worker and RESET ROLE cannot make
-- it another role. It checks this at run time, because the worker owns some functions and may have
-- changed their attributes.
CREATE OR REPLACE FUNCTION retention._refuse_other_roles() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE c_worker CONSTANT name := 'retention_worker';  -- '' if one role has all tasks
BEGIN
    IF c_worker <> '' AND (current_user <> c_worker OR session_user = c_worker OR current_setting('role') = c_worker)
    THEN
        RAISE insufficient_privilege USING MESSAGE = format(
            'policies are evaluated by functions of role "%s", not in a session of "%s"', c_worker, current_user);
    END IF;
END $function$;

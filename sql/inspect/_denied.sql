-- _denied returns which policies cannot be evaluated, because the worker lacks a privilege.
-- _denied_as_worker evaluates them. Privileges in the runtime's schema are left to another check.
-- message: the server's message
-- routine: the function of the application that raised it, NULL if there is none
CREATE OR REPLACE FUNCTION retention._denied(
    p_policies text[], OUT policy text, OUT message text, OUT routine text)
RETURNS SETOF record LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN QUERY SELECT d.*
    FROM retention._query_as_worker('SELECT to_jsonb(d) FROM retention._denied_as_worker(
                              ARRAY(SELECT jsonb_array_elements_text($1))) d', to_jsonb(p_policies)) l,
         jsonb_to_record(l) d (policy text, message text, routine text)
    ORDER BY d.policy;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $function$;

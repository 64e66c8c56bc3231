-- _refuse_untrusted raises 55000 if a role that is not trusted owns code in the schemas of the
-- search path, or may create code there. A migration calls it before it evaluates a policy's
-- expression with the privileges of the migrating role.
-- p_trust: roles that are trusted besides the runtime's owner and its members
CREATE OR REPLACE FUNCTION retention._refuse_untrusted(p_schemas text[], p_trust text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_why CONSTANT text := (SELECT u FROM retention._untrusted('{}', p_schemas, retention._trusted(p_trust)) u
                                LIMIT 1);
BEGIN
    IF v_why IS NOT NULL THEN RAISE object_not_in_prerequisite_state USING MESSAGE = v_why; END IF;
END $function$;

-- Called before a migration evaluates an expression of a policy itself, as the role that migrates: raises 55000 where it
-- could run code in the schemas of the search path that is nobody's of p_trust, or may come there.
CREATE OR REPLACE FUNCTION retention._refuse_untrusted(p_schemas text[], p_trust text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_why CONSTANT text := (SELECT u FROM retention._untrusted('{}', p_schemas, retention._trusted(p_trust)) u
                                LIMIT 1);
BEGIN
    IF v_why IS NOT NULL THEN RAISE object_not_in_prerequisite_state USING MESSAGE = v_why; END IF;
END $function$;

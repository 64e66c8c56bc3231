-- _register writes the row of a policy or report. For a policy it calls _validate, which executes
-- the policy's statements without rows.
CREATE OR REPLACE FUNCTION retention._register(p_row jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
BEGIN
    PERFORM retention._put_policy(p_row);
    IF NOT p_row ? 'report' THEN PERFORM retention._validate(p_row ->> 'name'); END IF;
END $function$;

-- _run_again returns the statement that runs a policy, or report, now; with a scope unless p_scope
-- is NULL.
CREATE OR REPLACE FUNCTION retention._run_again(p_policy text, p_scope jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN format('CALL retention.run(%L%s);', p_policy, ', scope => ' || quote_literal(p_scope));
END $function$;

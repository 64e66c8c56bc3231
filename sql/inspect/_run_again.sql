-- _run_again returns the statement that runs a policy or report now, with the scope of a run. If
-- the run had all rows (p_scope is NULL), but each job of the policy has a scope, the statement has
-- scope "all".
CREATE OR REPLACE FUNCTION retention._run_again(p_policy text, p_scope jsonb) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN format('CALL retention.run(%L%s);', p_policy, ', scope => ' || quote_literal(coalesce(p_scope,
        (SELECT '"all"'::jsonb FROM retention._scopes(p_policy) x (scope) WHERE x.scope IS NOT NULL LIMIT 1))));
END $function$;

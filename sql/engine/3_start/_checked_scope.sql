-- _checked_scope returns the scope of a call. NULL means all rows. Raises 22023 if the scope is not
-- a JSON object of values, or has a column by which the policy cannot be narrowed.
-- If every job of the policy has a scope, the call must have the columns of one of these scopes, or
-- ask for "all". So a caller who forgets a column does not take more rows.
-- If a job has the same scope, the function returns the job's spelling, because 1 and "1" are the
-- same value.
CREATE OR REPLACE FUNCTION retention._checked_scope(p_policy retention.policy, p_scope jsonb) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_entry record;
BEGIN
    IF p_scope = '"all"' OR p_scope IS NULL AND (p_policy.report OR NOT EXISTS (
        SELECT FROM retention.job j WHERE j.scope IS NOT NULL)) THEN
        RETURN NULL;
    ELSIF jsonb_typeof(p_scope) <> 'object' OR p_scope = '{}' THEN
        RAISE invalid_parameter_value USING MESSAGE = format('%s is not a scope', p_scope),
                  HINT = 'Give columns with their values, as in ''{"chain_id": 1}'', or ''"all"'' for all rows.';
    END IF;
    FOR v_entry IN SELECT e.key, jsonb_typeof(e.value) AS type FROM jsonb_each(p_scope) e LOOP
        IF v_entry.key <> ALL (p_policy.scope) THEN
            RAISE invalid_parameter_value
                USING MESSAGE = format('policy "%s" cannot be narrowed by "%s"', p_policy.name, v_entry.key),
                      HINT = CASE WHEN p_policy.scope = '{}' THEN 'List the column under "scope" in the policy file.'
                                  ELSE format('It can be narrowed by: %s.', array_to_string(p_policy.scope, ', ')) END;
        ELSIF v_entry.type NOT IN ('string', 'number', 'boolean') THEN
            RAISE invalid_parameter_value
                USING MESSAGE = format('the scope must give "%s" a single value, not %s', v_entry.key,
                                       CASE v_entry.type WHEN 'null' THEN 'null' ELSE 'an ' || v_entry.type END),
                      HINT = 'Give a text, a number, true or false.';
        END IF;
    END LOOP;
    IF NOT EXISTS (SELECT FROM retention._scopes(p_policy.name) s (scope)
                   WHERE s.scope IS NULL OR p_scope ?& ARRAY(SELECT jsonb_object_keys(s.scope))) THEN
        RAISE invalid_parameter_value
            USING MESSAGE = format('policy "%s" takes rows only inside the scopes of its jobs', p_policy.name),
                  DETAIL = CASE WHEN p_scope IS NULL THEN 'The call has no scope.'
                                ELSE format('Scope %s leaves out a column of each of them.', p_scope) END,
                  HINT = (SELECT format('Give a scope, %s, or ''"all"'' for all rows.',
                                        string_agg(format('%L (job "%s")', j.scope, j.job), ', ' ORDER BY j.job))
                          FROM retention._job_scopes(p_policy.name) j);
    END IF;
    RETURN coalesce((SELECT j.scope FROM retention._job_scopes(p_policy.name) j
                     WHERE NOT EXISTS (SELECT e.key, e.value FROM jsonb_each_text(j.scope) e
                                       EXCEPT SELECT e.key, e.value FROM jsonb_each_text(p_scope) e)
                       AND NOT EXISTS (SELECT e.key, e.value FROM jsonb_each_text(p_scope) e
                                       EXCEPT SELECT e.key, e.value FROM jsonb_each_text(j.scope) e)
                     LIMIT 1), p_scope);
END $function$;

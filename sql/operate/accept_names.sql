-- accept_names lets a policy run again after somebody created or dropped an object that a name in
-- the policy can mean, such as a function, an operator or a type. From now on the name means what
-- PostgreSQL finds. The function returns the objects that are new or no longer exist. Only
-- operators may call it. If possible, write the schema of the name in the policy file instead.
-- Raises 22023 without a reason. Raises 55000 if nothing has changed. Raises 55000, too, if the
-- server refuses an expression of the policy, because its name then has no meaning.
-- Example: SELECT retention.accept_names('visits', 'the new lower() is for another type');
CREATE OR REPLACE FUNCTION retention.accept_names(policy text, reason text) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(accept_names.policy);
    v_now CONSTANT text[] := (SELECT c.objects FROM retention._candidates(ARRAY[v_policy]) c);
    v_changed CONSTANT text[] := ARRAY(SELECT o FROM unnest(v_now || v_policy.candidates) o
                                       GROUP BY o HAVING count(*) = 1 ORDER BY 1);
    v_error text := retention._refused_expression(v_policy);
BEGIN
    IF coalesce(accept_names.reason, '') = '' THEN
        RAISE invalid_parameter_value USING MESSAGE = 'accepting other meanings of names needs a reason';
    ELSIF v_changed = '{}' THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('names of policy "%s" can mean what they could when it was installed',
                v_policy.name);
    END IF;
    IF v_error IS NULL AND NOT v_policy.report THEN  -- checks the expressions of steps, too
        BEGIN
            PERFORM retention._prove_statements(v_policy.name);
        EXCEPTION WHEN OTHERS THEN
            -- 55000: an expression has another type than when the policy was generated
            IF retention._means_nothing(SQLSTATE) OR SQLSTATE = '55000' THEN v_error := SQLERRM; END IF;
        END;
    END IF;
    IF v_error IS NOT NULL THEN
        RAISE object_not_in_prerequisite_state
            USING MESSAGE = format('the server refuses an expression of policy "%s": %s', v_policy.name, v_error),
            HINT = 'Bring back what the expression names, or change the expression, then run "pgretain snapshot" and '
                '"pgretain generate", and migrate.';
    END IF;
    PERFORM retention._record_names(v_policy.name);
    INSERT INTO retention.setting_change (policy, name, old, new, reason)
    VALUES (v_policy.name, 'names', array_to_string(v_policy.candidates, ', '), array_to_string(v_now, ', '),
            accept_names.reason);
    RETURN v_changed;
END $function$;

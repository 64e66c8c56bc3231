-- _obstacle returns why no run of a policy may touch a row now, and by what such a run trips
-- (tripped_by); NULL if runs may. Foreign code comes first. Without p_code it is checked only if
-- something else is an obstacle, because _pin checks it before the policy is evaluated. Reads the
-- catalog and the holds. _changed_dependencies says what it locks.
CREATE OR REPLACE FUNCTION retention._obstacle(
    p_policy retention.policy, p_as_of timestamptz, p_code boolean, OUT tripped_by text, OUT message text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_catalog CONSTANT text := (SELECT u.why FROM retention._changed_dependencies(ARRAY[p_policy], false) u LIMIT 1);
    v_hold CONSTANT text := CASE WHEN v_catalog IS NULL THEN retention._blocking_hold(p_policy.name, p_as_of) END;
    v_code text;
BEGIN
    IF p_code OR v_catalog IS NOT NULL OR v_hold IS NOT NULL THEN
        v_code := (SELECT f FROM retention._foreign_code(ARRAY[p_policy]) f LIMIT 1);
    END IF;
    message := coalesce(v_code, v_catalog, v_hold);
    tripped_by := CASE WHEN v_code IS NOT NULL THEN 'trust' WHEN v_catalog IS NOT NULL THEN 'catalog'
                       WHEN v_hold LIKE '% is not trusted%' THEN 'trust' WHEN v_hold IS NOT NULL THEN 'hold' END;
END $function$;

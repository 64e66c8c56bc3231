-- _obstacle returns why no run of a policy may touch a row now (message), and what trips such a run
-- (tripped_by). Both are NULL if runs may touch rows. Foreign code is reported first.
-- If there is no hold, and the policy is vouched for (_is_vouched), nothing else is asked.
-- The function reads the catalog and the holds. _changed_dependencies documents its locks.
CREATE OR REPLACE FUNCTION retention._obstacle(
    p_policy retention.policy, p_as_of timestamptz, OUT tripped_by text, OUT message text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_catalog text; v_hold text; v_code text;
BEGIN
    IF retention._is_vouched(p_policy) AND NOT EXISTS (SELECT FROM retention.hold h WHERE h.released_at IS NULL)
    THEN
        RETURN;
    END IF;
    v_code := (SELECT f FROM retention._foreign_code(ARRAY[p_policy]) f LIMIT 1);
    v_catalog := (SELECT u.why FROM retention._changed_dependencies(ARRAY[p_policy], false) u LIMIT 1);
    v_hold := CASE WHEN v_catalog IS NULL THEN retention._blocking_hold(p_policy.name, p_as_of) END;
    message := coalesce(v_code, v_catalog, v_hold);
    tripped_by := CASE WHEN v_code IS NOT NULL THEN 'trust' WHEN v_catalog IS NOT NULL THEN 'catalog'
                       WHEN v_hold LIKE '% is not trusted%' THEN 'trust' WHEN v_hold IS NOT NULL THEN 'hold' END;
END $function$;

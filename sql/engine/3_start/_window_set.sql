-- _window_set returns the window that set_window() gave a policy. It is NULL if no such window is
-- in force.
-- note: why a window that was set is not in force
CREATE OR REPLACE FUNCTION retention._window_set(p_policy retention.policy, OUT older_than interval, OUT note text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_setting retention.setting; v_fault text;
BEGIN
    SELECT * INTO v_setting FROM retention.setting s WHERE s.policy = p_policy.name AND s.name = 'window';
    IF NOT FOUND THEN RETURN; END IF;
    BEGIN
        older_than := v_setting.value::interval;
        v_fault := (retention._window_fault(p_policy, older_than)).message;
    EXCEPTION WHEN data_exception THEN v_fault := format('"%s" is no interval', v_setting.value);
    END;
    IF v_fault IS NOT NULL THEN
        older_than := NULL;
        note := format('the window that %s set at %s does not hold, the policy''s own does: %s',
                       v_setting.set_by, v_setting.set_at, v_fault);
    END IF;
END $function$;

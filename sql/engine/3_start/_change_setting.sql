-- _change_setting writes a setting, or deletes it if p_value is NULL, and records the change. It
-- returns whether the setting existed.
CREATE OR REPLACE FUNCTION retention._change_setting(
    p_policy text, p_name text, p_value text, p_reason text, p_scope text DEFAULT '') RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_old text; v_found boolean;
BEGIN
    SELECT s.value INTO v_old FROM retention.setting s
    WHERE (s.policy, s.name, s.scope) = (p_policy, p_name, p_scope) FOR UPDATE;
    v_found := FOUND;
    IF p_value IS NULL THEN
        DELETE FROM retention.setting s WHERE (s.policy, s.name, s.scope) = (p_policy, p_name, p_scope);
    ELSE
        INSERT INTO retention.setting (policy, name, value, reason, scope)
        VALUES (p_policy, p_name, p_value, coalesce(p_reason, ''), p_scope)
        ON CONFLICT (policy, name, scope) DO UPDATE
        SET value = excluded.value, reason = excluded.reason, set_by = session_user, set_at = clock_timestamp();
    END IF;
    IF v_found OR p_value IS NOT NULL THEN
        INSERT INTO retention.setting_change (policy, name, old, new, reason, scope)
        VALUES (p_policy, p_name, v_old, p_value, coalesce(p_reason, ''), p_scope);
    END IF;
    RETURN v_found;
END $function$;

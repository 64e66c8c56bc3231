-- A hold in force that guards of a policy cannot honour, because its table is not what it was when the hold was
-- placed or the policy installed: in a sentence, NULL for none. Nothing may be taken then, since nobody can
-- tell what is held. Of holds by key, p_limit of each table are looked at.
CREATE OR REPLACE FUNCTION retention._vain_hold(p_policy text, p_as_of timestamptz, p_limit bigint DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_tables CONSTANT text[] := (
        SELECT p.table_name || p.related || p.reach FROM retention.policy p WHERE p.name = p_policy);
BEGIN
    RETURN coalesce(retention._lost_hold(v_tables, p_as_of), retention._attached_hold(v_tables, p_as_of),
                    retention._turned_key(p_policy, p_as_of, p_limit), retention._respelled_hold(v_tables, p_as_of, p_limit),
                    retention._unknown_key(p_policy, p_as_of));
END
$function$;
REVOKE ALL ON FUNCTION retention._vain_hold(text, timestamptz, bigint) FROM PUBLIC;

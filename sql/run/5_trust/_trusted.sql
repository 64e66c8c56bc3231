-- The roles whose code may run in batches: superusers, whoever may become the owner of the runtime, which the role that
-- migrates may, and install.trust. Who owns the database stands for pg_database_owner.
CREATE OR REPLACE FUNCTION retention._trusted() RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
BEGIN
    RETURN ARRAY(
        SELECT r.oid FROM pg_roles r LEFT JOIN retention.install i ON true
        CROSS JOIN LATERAL (SELECT CASE r.rolname WHEN 'pg_database_owner' THEN (
            SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()) ELSE r.oid END AS oid) x
        WHERE ARRAY[r.rolname, pg_get_userbyid(x.oid)] && i.trust::name[] OR pg_has_role(x.oid, (
            SELECT c.relowner FROM pg_class c WHERE c.oid = 'retention.policy'::regclass), 'MEMBER'));
END $function$;

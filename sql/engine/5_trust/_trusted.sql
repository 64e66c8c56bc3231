-- _trusted returns the roles whose code may run in batches.
-- - The first is the runtime's owner. Its members are trusted, too, among them superusers and the
--   migrating role.
-- - The others are the roles in p_trust, or in install.trust if p_trust is NULL.
-- - pg_database_owner is returned if the owner of the database is trusted.
CREATE OR REPLACE FUNCTION retention._trusted(p_trust text[] DEFAULT NULL) RETURNS oid[]
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $function$
DECLARE
    v_owner CONSTANT oid := (SELECT c.relowner FROM pg_class c WHERE c.oid = 'retention.policy'::regclass);
    v_trust CONSTANT text[] := coalesce(p_trust, (SELECT i.trust FROM retention.install i));
BEGIN
    RETURN v_owner || ARRAY(
        SELECT r::oid FROM unnest(v_trust) t, to_regrole(quote_ident(t)) r WHERE r IS NOT NULL
        UNION ALL SELECT 'pg_database_owner'::regrole FROM pg_database d WHERE d.datname = current_database()
          AND (pg_get_userbyid(d.datdba) = ANY (v_trust::name[]) OR pg_has_role(d.datdba, v_owner, 'MEMBER')));
END $function$;

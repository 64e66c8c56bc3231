-- Whose code may run in batches: members of the first, the owner of the runtime, as are superusers and the role that
-- migrates; and the others, p_trust (NULL: install.trust). Who owns the database stands for pg_database_owner.
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

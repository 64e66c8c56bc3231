-- Whether a role's tables may be read with our rights: reading runs the casts, checks and operators of their types.
-- Superusers, and the owners of the policies' tables, are trusted.
CREATE OR REPLACE FUNCTION retention._trusted_owner(p_role oid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $function$
    SELECT EXISTS (SELECT FROM pg_roles r WHERE r.oid = p_role AND r.rolsuper)
        OR EXISTS (
            SELECT FROM retention.policy p
            JOIN pg_class c ON c.oid = ANY (retention._named(p.table_name || p.related || p.changes || p.reach))
            WHERE c.relowner = p_role)
$function$;

-- _apply_privileges gives every object in the schema the owner and privileges that _rights() lists.
-- It also grants the worker EXECUTE on functions that run as their caller, and grants PUBLIC USAGE
-- on types. Every migration calls it last.
-- It skips objects of extensions. It skips objects of other owners, unless _rights() lists them. It
-- revokes privileges that applications got by default privileges.
-- Nested loops are disabled, because the planner does not know the sizes of the WITH queries.
-- Raises 42501 if another role owns the schema, or a function in it that the runtime could call.
CREATE OR REPLACE FUNCTION retention._apply_privileges() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_nestloop = off SET jit = off AS $function$
DECLARE v_statement text;
BEGIN
    SELECT format('%s belongs to role "%s", which could have the runtime call its own code', x.what,
                  pg_get_userbyid(x.owner)) INTO v_statement
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL (
        SELECT format('schema "%s"', n.nspname), n.nspowner UNION ALL
        SELECT format('function %s', p.oid::regprocedure), p.proowner FROM pg_proc p WHERE p.pronamespace = n.oid
    ) x (what, owner)
    WHERE c.oid = 'retention.policy'::regclass AND NOT pg_has_role(x.owner, c.relowner, 'MEMBER') AND x.owner <> ALL (
        ARRAY(SELECT r.role FROM retention._rights() r
              WHERE r.role_kind IN ('worker', 'runner') AND r.role IS NOT NULL));
    IF v_statement IS NOT NULL THEN RAISE insufficient_privilege USING MESSAGE = v_statement; END IF;
    FOR v_statement IN
        WITH rights AS MATERIALIZED (SELECT r.* FROM retention._rights() r),
        home AS (
            SELECT c.relnamespace AS oid, c.relowner AS owner FROM pg_class c WHERE c.oid = 'retention.policy'::regclass
        ), object AS MATERIALIZED (
            SELECT x.*, coalesce(w.role, x.owner) AS next_owner FROM (
                SELECT 'pg_class'::regclass AS class, c.oid, k.kind, c.relname AS name, c.oid::regclass::text AS sql,
                       c.relowner AS owner, false AS invoker,
                       coalesce(c.relacl, acldefault(k.acl_type, c.relowner)) AS acl
                FROM pg_class c JOIN home h ON h.oid = c.relnamespace
                JOIN (VALUES ('{r,p,v,m,f}'::"char"[], 'TABLE', 'r'::"char"),
                             ('{S}', 'SEQUENCE', 's')) k (kinds, kind, acl_type) ON c.relkind = ANY (k.kinds)
                UNION ALL
                SELECT 'pg_proc'::regclass, p.oid, 'ROUTINE', p.proname, p.oid::regprocedure::text, p.proowner,
                       NOT p.prosecdef AND p.prokind = 'f' AND p.proowner = h.owner,
                       coalesce(p.proacl, acldefault('f', p.proowner))
                FROM pg_proc p JOIN home h ON h.oid = p.pronamespace
                UNION ALL
                SELECT 'pg_type'::regclass, t.oid, 'TYPE', t.typname, t.oid::regtype::text, t.typowner, false,
                       coalesce(t.typacl, acldefault('T', t.typowner))
                FROM pg_type t JOIN home h ON h.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
                WHERE c.relkind = 'c' OR t.typtype IN ('d', 'e', 'r')) x
            LEFT JOIN rights w ON w.privilege = 'OWNER' AND w.name = x.name AND x.kind = 'ROUTINE'
            WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = x.class AND d.objid = x.oid AND d.deptype = 'e')
        ), wanted AS MATERIALIZED (
            SELECT o.kind, o.oid, r.role AS grantee, r.privilege
            FROM rights r JOIN object o ON o.name = r.name AND r.role <> o.next_owner
                AND o.kind = CASE r.privilege WHEN 'OWNER' THEN NULL WHEN 'EXECUTE' THEN 'ROUTINE' ELSE 'TABLE' END
            UNION SELECT o.kind, o.oid, w.oid, 'EXECUTE' FROM object o JOIN pg_roles w ON w.rolname = 'retention_worker'
            WHERE o.invoker AND o.next_owner <> w.oid
            UNION SELECT o.kind, o.oid, 0, 'USAGE' FROM object o WHERE o.kind = 'TYPE'
        -- REVOKE ... CASCADE also revokes what grantees have granted to others.
        ), live AS MATERIALIZED (
            SELECT o.kind, o.oid, o.name, o.owner, x.grantee, x.privilege_type AS privilege, x.is_grantable
            FROM object o, aclexplode(o.acl) x WHERE x.grantee NOT IN (o.owner, o.next_owner) AND x.grantor = o.owner
        ), change AS (
            SELECT 'REVOKE' AS verb, l.kind, l.oid, l.grantee, l.privilege
            FROM live l LEFT JOIN wanted w USING (kind, oid, grantee, privilege)
            WHERE l.is_grantable OR w.oid IS NULL AND NOT (l.grantee <> 0 AND EXISTS (
                SELECT FROM rights a
                WHERE a.role_kind = 'application' AND a.name = l.name AND a.privilege = l.privilege)
                AND NOT EXISTS (SELECT FROM pg_default_acl d, aclexplode(d.defaclacl) x
                                WHERE d.defaclrole = l.owner AND d.defaclobjtype = 'f' AND x.grantee = l.grantee))
            UNION ALL SELECT 'GRANT', w.kind, w.oid, w.grantee, w.privilege
            FROM wanted w LEFT JOIN live l USING (kind, oid, grantee, privilege) WHERE l.is_grantable IS NOT FALSE
            UNION ALL SELECT 'ALTER', o.kind, o.oid, o.next_owner, NULL FROM object o WHERE o.next_owner <> o.owner
        )
        SELECT format(CASE c.verb
                      WHEN 'REVOKE' THEN 'REVOKE %1$s ON %2$s %3$s FROM %4$s CASCADE'
                      WHEN 'GRANT' THEN 'GRANT %1$s ON %2$s %3$s TO %4$s'
                      ELSE 'GRANT CREATE ON SCHEMA %5$s TO %4$s; ALTER ROUTINE %3$s OWNER TO %4$s; '
                           'REVOKE CREATE ON SCHEMA %5$s FROM %4$s' END, c.privilege, c.kind, o.sql,
                      CASE c.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(c.grantee)) END,
                      (SELECT h.oid::regnamespace FROM home h))
        FROM change c JOIN object o USING (kind, oid) WHERE c.verb <> 'REVOKE' OR pg_has_role(o.owner, 'USAGE')
           OR EXISTS (SELECT FROM wanted w WHERE w.kind = c.kind AND w.oid = c.oid)
        ORDER BY c.verb DESC, c.kind, c.oid, c.privilege, c.grantee
    LOOP
        EXECUTE v_statement;
    END LOOP;
END $function$;

-- Returns what the database allows and what it protects, one line per fact. A line that begins
-- with "may" names a right. A line that begins with "has" names an object or a protection.
WITH own_schema AS (
    SELECT n.oid, n.nspname, n.nspowner, n.nspacl FROM pg_namespace n
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
), relation AS (
    SELECT c.*, c.oid::regclass::text AS name FROM pg_class c JOIN own_schema s ON s.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
), routine AS (
    SELECT p.*, p.oid::regprocedure::text AS name FROM pg_proc p JOIN own_schema s ON s.oid = p.pronamespace
), acl (object, owner, acl) AS (
    SELECT 'database', d.datdba, coalesce(d.datacl, acldefault('d', d.datdba))
    FROM pg_database d WHERE d.datname = current_database()
    UNION ALL
    SELECT format('schema %I', s.nspname), s.nspowner, coalesce(s.nspacl, acldefault('n', s.nspowner)) FROM own_schema s
    UNION ALL
    SELECT 'relation ' || r.name, r.relowner,
           coalesce(r.relacl, acldefault(CASE r.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", r.relowner))
    FROM relation r
    UNION ALL
    SELECT format('column %s.%I', r.name, a.attname), r.relowner, a.attacl
    FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid WHERE a.attacl IS NOT NULL AND NOT a.attisdropped
    UNION ALL
    SELECT 'routine ' || p.name, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner)) FROM routine p
    UNION ALL
    SELECT 'type ' || t.oid::regtype, t.typowner, coalesce(t.typacl, acldefault('T', t.typowner))
    FROM pg_type t JOIN own_schema s ON s.oid = t.typnamespace
    WHERE t.typtype IN ('d', 'e', 'r') OR EXISTS (
        SELECT FROM pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c')
    UNION ALL
    SELECT format('new objects (%s) of %s', a.defaclobjtype, pg_get_userbyid(a.defaclrole)), a.defaclrole, a.defaclacl
    FROM pg_default_acl a
)
SELECT format('may: %s on %s to %s%s', e.privilege_type, x.object, coalesce(g.rolname, 'PUBLIC'),
              CASE WHEN e.is_grantable THEN ' with grant option' ELSE '' END) AS line
FROM acl x CROSS JOIN LATERAL aclexplode(x.acl) e LEFT JOIN pg_roles g ON g.oid = e.grantee
WHERE e.grantee <> x.owner
UNION
SELECT format('may: own %s as %s', x.object, pg_get_userbyid(x.owner)) FROM acl x WHERE x.object !~ '^(column|new)'
UNION
SELECT format('may: security definer routine %s', p.name) FROM routine p WHERE p.prosecdef
UNION
SELECT format('may: member %s of %s %s', pg_get_userbyid(m.member), pg_get_userbyid(m.roleid),
              to_jsonb(m) - '{oid,roleid,member,grantor}'::text[])
FROM pg_auth_members m
UNION
SELECT format('may: role %s %s', r.rolname, x.attribute)
FROM pg_roles r CROSS JOIN LATERAL (VALUES
    ('is superuser', r.rolsuper), ('creates roles', r.rolcreaterole), ('creates databases', r.rolcreatedb),
    ('logs in', r.rolcanlogin), ('replicates', r.rolreplication), ('bypasses row security', r.rolbypassrls),
    ('has no limit of connections', r.rolconnlimit < 0)) x (attribute, given)
WHERE x.given
UNION
SELECT format('has: setting of role %s in database %s: %s', coalesce(r.rolname, 'ALL'), coalesce(d.datname, 'ALL'),
              unnest(s.setconfig))
FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole LEFT JOIN pg_database d ON d.oid = s.setdatabase
WHERE d.datname IS NULL OR d.datname = current_database()
UNION
SELECT format('has: schema %I', s.nspname) FROM own_schema s
UNION
SELECT format('has: relation %s', r.name) FROM relation r
UNION
SELECT format('has: rows of %s after a crash', r.name) FROM relation r WHERE r.relkind = 'r' AND r.relpersistence = 'p'
UNION
SELECT format('has: row security of %s%s', r.name, CASE WHEN r.relforcerowsecurity THEN ', forced' ELSE '' END)
FROM relation r WHERE r.relrowsecurity
UNION
SELECT format('has: row security of %s: %s', r.name, to_jsonb(p) - '{oid,polrelid}'::text[])
FROM pg_policy p JOIN relation r ON r.oid = p.polrelid
UNION
SELECT format('has: column %s.%I%s', r.name, a.attname, x.attribute)
FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid
CROSS JOIN LATERAL (VALUES ('', true), (' NOT NULL', a.attnotnull)) x (attribute, given)
WHERE a.attnum > 0 AND NOT a.attisdropped AND r.relkind IN ('r', 'p') AND x.given
UNION
SELECT format('has: constraint %s %I: %s', r.name, k.conname, pg_get_constraintdef(k.oid))
FROM pg_constraint k JOIN relation r ON r.oid = k.conrelid WHERE k.contype <> 'n'
UNION
-- Indexes of pgretain may be renamed, built and dropped. So may the indexes of partitions that
-- belong to them.
SELECT format('has: index %s', pg_get_indexdef(i.indexrelid))
FROM pg_index i JOIN relation r ON r.oid = i.indrelid WHERE i.indisvalid AND NOT EXISTS (
    SELECT FROM (SELECT i.indexrelid UNION SELECT p.relid FROM pg_partition_ancestors(i.indexrelid) p) x (id)
    JOIN pg_description d ON d.objoid = x.id AND d.classoid = 'pg_class'::regclass
    WHERE d.description LIKE 'pgretain: index %')
UNION
SELECT format('has: trigger %s%s on %s',
              CASE WHEN k.oid IS NULL THEN quote_ident(t.tgname) ELSE t.tgfoid::regproc::text END,
              ' of ' || quote_ident(k.conname), r.name)
FROM pg_trigger t JOIN relation r ON r.oid = t.tgrelid LEFT JOIN pg_constraint k ON k.oid = t.tgconstraint
WHERE t.tgenabled IN ('O', 'A')
UNION
SELECT format('has: trigger %I for every session on %s', t.tgname, r.name)
FROM pg_trigger t JOIN relation r ON r.oid = t.tgrelid WHERE t.tgenabled = 'A'
UNION
SELECT format('has: event trigger %I', e.evtname) FROM pg_event_trigger e WHERE e.evtenabled IN ('O', 'A')
UNION
SELECT format('has: rule %I on %s', e.rulename, r.name)
FROM pg_rewrite e JOIN relation r ON r.oid = e.ev_class WHERE e.rulename <> '_RETURN' AND e.ev_enabled <> 'D'
UNION
SELECT format('has: routine %s', p.name) FROM routine p
UNION
SELECT format('has: type %s', t.oid::regtype) FROM pg_type t JOIN own_schema s ON s.oid = t.typnamespace
WHERE t.typtype IN ('d', 'e', 'r', 'c') AND t.typelem = 0

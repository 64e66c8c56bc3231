WITH schemas AS (
    SELECT n.oid, n.nspname, n.nspacl, n.nspowner
    FROM pg_namespace n
    WHERE n.nspname !~ '^pg_|^information_schema$|^retention$|^oracle$'
), relations AS (
    SELECT c.oid, c.relkind, c.relacl, c.relowner, format('%I.%I', n.nspname, c.relname) AS name
    FROM pg_class c
    JOIN schemas n ON n.oid = c.relnamespace
    WHERE NOT (c.relkind IN ('i', 'I')
               AND coalesce(obj_description(c.oid, 'pg_class') LIKE 'pgretain: %' OR c.relname ~ '^pgretain_', false))
), routines AS (
    SELECT p.oid, p.proacl, p.proowner, p.oid::regprocedure::text AS name
    FROM pg_proc p
    JOIN schemas n ON n.oid = p.pronamespace
    WHERE p.proname NOT LIKE 'messages!_%' ESCAPE '!'
), rights AS (
    SELECT 'schema ' || nspname AS object, nspowner AS owner, x.grantee, x.privilege_type
    FROM schemas, aclexplode(nspacl) x
    UNION ALL
    SELECT 'relation ' || name, relowner, x.grantee, x.privilege_type
    FROM relations, aclexplode(relacl) x
    UNION ALL
    SELECT format('column %s.%I', name, attname), relowner, x.grantee, x.privilege_type
    FROM relations JOIN pg_attribute ON attrelid = relations.oid, aclexplode(attacl) x
    UNION ALL
    SELECT 'routine ' || name, proowner, x.grantee, x.privilege_type
    FROM routines, aclexplode(coalesce(proacl, acldefault('f', proowner))) x
)
SELECT format('relation %s %s', relkind, name) FROM relations
UNION ALL
SELECT format('column %s.%I %s', name, attname, format_type(atttypid, atttypmod))
FROM relations JOIN pg_attribute ON attrelid = relations.oid
WHERE attnum > 0 AND NOT attisdropped
UNION ALL
SELECT 'routine ' || name FROM routines
UNION ALL
SELECT format('constraint %s %s', conrelid::regclass, conname)
FROM pg_constraint JOIN schemas ON schemas.oid = connamespace
WHERE conrelid <> 0
UNION ALL
SELECT format('trigger %s %s %s', tgrelid::regclass, tgname, tgenabled)
FROM pg_trigger JOIN relations ON relations.oid = tgrelid
WHERE NOT tgisinternal
UNION ALL
SELECT format('hold %s %s', match, coalesce(until::text, 'for ever'))
FROM retention.hold
WHERE released_at IS NULL
UNION ALL
SELECT 'protected ' || unnest(protect)::text FROM retention.install
UNION ALL
SELECT format('privilege %s on %s', privilege_type, object) || ' to ' || coalesce(rolname, 'PUBLIC')
FROM rights LEFT JOIN pg_roles r ON r.oid = grantee
WHERE coalesce(rolname, 'PUBLIC') !~ '^retention_' AND grantee <> owner
UNION ALL
SELECT format('privilege %s belongs to %s', name, relowner::regrole) FROM relations WHERE relkind NOT IN ('i', 'I')
UNION ALL
SELECT format('privilege %s belongs to %s', name, proowner::regrole) FROM routines
UNION ALL
SELECT format('privilege member of %s to %s', roleid::regrole, member::regrole) FROM pg_auth_members
UNION ALL
SELECT 'privilege ' || a || ' to ' || rolname
FROM pg_roles, unnest(ARRAY[CASE WHEN rolsuper THEN 'superuser' END, CASE WHEN rolbypassrls THEN 'bypassrls' END,
    CASE WHEN rolcreaterole THEN 'createrole' END]) a
WHERE a IS NOT NULL AND rolname !~ '^retention_'
ORDER BY 1

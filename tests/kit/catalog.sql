-- Returns everything that migrations can change, one line per object, as PostgreSQL describes it.
-- Two databases with the same lines have the same objects.
WITH own_schema AS (
    SELECT n.oid, n.nspname FROM pg_namespace n
    WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'cron')
), member AS ( -- objects that belong to extensions
    SELECT d.classid, d.objid FROM pg_depend d WHERE d.deptype = 'e'
), relation AS (
    SELECT c.*, s.nspname FROM pg_class c JOIN own_schema s ON s.oid = c.relnamespace
    WHERE c.relname !~ '^goose_db_version' AND c.relname <> 'schema_version'
      AND (c.oid, 'pg_class'::regclass) NOT IN (SELECT m.objid, m.classid FROM member m)
), routine AS (
    SELECT p.*, s.nspname FROM pg_proc p JOIN own_schema s ON s.oid = p.pronamespace
    WHERE (p.oid, 'pg_proc'::regclass) NOT IN (SELECT m.objid, m.classid FROM member m) AND p.prokind <> 'a'
), acl (class, name, owner, acl) AS (
    SELECT 'schema', s.nspname::text, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner))
    FROM own_schema s JOIN pg_namespace n ON n.oid = s.oid
    UNION ALL
    SELECT 'relation', format('%I.%I', r.nspname, r.relname), r.relowner,
           coalesce(r.relacl, acldefault(CASE r.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", r.relowner))
    FROM relation r WHERE r.relkind IN ('r', 'p', 'v', 'm', 'S')
    UNION ALL
    SELECT 'column', format('%I.%I.%I', r.nspname, r.relname, a.attname), r.relowner, a.attacl
    FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid WHERE a.attacl IS NOT NULL AND NOT a.attisdropped
    UNION ALL
    SELECT 'routine', p.oid::regprocedure::text, p.proowner, coalesce(p.proacl, acldefault('f', p.proowner))
    FROM routine p
    UNION ALL
    SELECT 'type', format('%I.%I', s.nspname, t.typname), t.typowner, coalesce(t.typacl, acldefault('T', t.typowner))
    FROM pg_type t JOIN own_schema s ON s.oid = t.typnamespace LEFT JOIN relation r ON r.oid = t.typrelid
    WHERE t.typtype IN ('c', 'd', 'e') AND (t.typrelid = 0 OR r.relkind = 'c')
)
SELECT format('grant %s %s to %s: %s%s', x.class, x.name, coalesce(g.rolname, 'PUBLIC'), e.privilege_type,
              CASE WHEN e.is_grantable THEN ' grantable' ELSE '' END) AS line
FROM acl x CROSS JOIN LATERAL aclexplode(x.acl) e LEFT JOIN pg_roles g ON g.oid = e.grantee
UNION
SELECT format('owner %s %s: %s', x.class, x.name, pg_get_userbyid(x.owner)) FROM acl x
UNION ALL
SELECT format('relation %I.%I: %s %s %s %s', r.nspname, r.relname, r.relkind, r.relpersistence, r.reloptions,
              obj_description(r.oid, 'pg_class'))
FROM relation r WHERE r.relkind <> 'i' AND r.relkind <> 'I'
UNION ALL
SELECT format('column %I.%I %s %I: %s%s default %s %s', r.nspname, r.relname,
              row_number() OVER (PARTITION BY a.attrelid ORDER BY a.attnum), a.attname,
              format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN ' not null' ELSE '' END,
              pg_get_expr(d.adbin, d.adrelid), col_description(a.attrelid, a.attnum))
FROM relation r
JOIN pg_attribute a ON a.attrelid = r.oid
LEFT JOIN pg_attrdef d ON d.adrelid = r.oid AND d.adnum = a.attnum
WHERE a.attnum > 0 AND NOT a.attisdropped AND r.relkind IN ('r', 'p', 'c')
UNION ALL
SELECT format('constraint %I.%I %I: %s', r.nspname, r.relname, k.conname, pg_get_constraintdef(k.oid))
FROM relation r JOIN pg_constraint k ON k.conrelid = r.oid
UNION ALL
SELECT format('index %I.%I: %s%s%s %s', r.nspname, r.relname, pg_get_indexdef(r.oid),
              CASE WHEN i.indisvalid THEN '' ELSE ' INVALID' END,
              CASE WHEN i.indisready THEN '' ELSE ' NOT READY' END, obj_description(r.oid, 'pg_class'))
FROM relation r JOIN pg_index i ON i.indexrelid = r.oid
UNION ALL
SELECT format('view %I.%I: %s', r.nspname, r.relname, pg_get_viewdef(r.oid))
FROM relation r WHERE r.relkind IN ('v', 'm')
UNION ALL
SELECT format('routine %s: %s %s', p.oid::regprocedure, pg_get_functiondef(p.oid), obj_description(p.oid, 'pg_proc'))
FROM routine p
UNION ALL
SELECT format('trigger %s', pg_get_triggerdef(t.oid))
FROM pg_trigger t JOIN relation r ON r.oid = t.tgrelid
WHERE NOT t.tgisinternal
UNION ALL
SELECT format('row security %I.%I %s: %s %s %s %s', r.nspname, r.relname, p.polname, p.polcmd, p.polroles::regrole[],
              pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
FROM pg_policy p JOIN relation r ON r.oid = p.polrelid

-- Returns the objects in the runtime's schema on which roles have other privileges than expected.
-- $1: the schema
-- $2: the expected routines, tables and views, an array of objects with these keys:
--   - name: a routine has its argument types
--   - open: true if further privileges may be granted to roles of the application
--   - roles: roles that may use the object
--   - writes: further privileges of the worker
-- $3: the worker
-- n: the position in $2; 0 for an object that is not expected
-- want: the privileges that roles lack
-- got: the privileges that roles should not have
-- object, owner: as GRANT names them
-- owner_lacks: the privileges that the owner lacks; NULL if none
-- of_columns: the roles, as SQL, that have privileges on columns; NULL if none
-- Any role may have SELECT on a table, but PUBLIC may not. Another query returns findings on
-- missing roles.
WITH object AS MATERIALIZED (
    SELECT CASE p.prokind WHEN 'p' THEN 'procedure' ELSE 'function' END AS kind, p.oid, NULL::oid AS of_columns,
           'ROUTINE ' || p.oid::regprocedure AS sql, NULL AS name, p.proowner AS owner,
           coalesce(p.proacl, acldefault('f', p.proowner)) AS acl, '{EXECUTE}'::text[] AS needed
    FROM pg_proc p JOIN pg_namespace s ON s.oid = p.pronamespace WHERE s.nspname = $1
    UNION ALL
    SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'S' THEN 'sequence' ELSE 'table' END, c.oid, c.oid,
           CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || c.oid::regclass, s.nspname || '.' || c.relname,
           c.relowner,
           coalesce(c.relacl, acldefault((CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END)::"char", c.relowner)),
           (CASE WHEN c.relkind IN ('r', 'p') THEN '{SELECT,INSERT,UPDATE,DELETE}' ELSE '{SELECT}' END)::text[]
    FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
    WHERE s.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'S')
), asked AS (
    SELECT w.place::integer AS n, w.name, w.open, w.roles, w.writes,
           coalesce(to_regclass(CASE WHEN w.name !~ '\(' THEN w.name END)::oid,
                    to_regprocedure(CASE WHEN w.name ~ '\(' THEN w.name END)::oid) AS oid
    FROM ROWS FROM (jsonb_to_recordset($2) AS (name text, open boolean, roles text[], writes text[]))
         WITH ORDINALITY AS w (name, open, roles, writes, place)
), looked_at AS (
    SELECT coalesce(a.n, 0) AS n, coalesce(a.name, o.name) AS name, coalesce(a.open, false) AS open,
           o.kind, o.of_columns, o.sql, o.owner, o.acl, o.needed
    FROM object o LEFT JOIN asked a ON a.oid = o.oid AND (a.name ~ '\(') = (o.of_columns IS NULL)
    WHERE coalesce(a.name, o.name) IS NOT NULL
), wanted AS (
    SELECT o.sql, r.oid AS grantee, w.privilege
    FROM asked a JOIN looked_at o ON o.n = a.n
    CROSS JOIN LATERAL (SELECT u, CASE WHEN a.name ~ '\(' THEN 'EXECUTE' ELSE 'SELECT' END FROM unnest(a.roles) u
                        UNION ALL SELECT $3::text, u FROM unnest(a.writes) u) w (role, privilege)
    JOIN pg_roles r ON r.rolname = w.role
    UNION
    SELECT o.sql, o.owner, p FROM looked_at o, unnest(o.needed) p
), held AS (
    SELECT o.sql, x.grantee, x.privilege_type AS privilege, x.is_grantable, NULL::name AS of_column
    FROM looked_at o, aclexplode(o.acl) x
    UNION ALL
    SELECT o.sql, x.grantee, x.privilege_type, x.is_grantable, a.attname
    FROM looked_at o JOIN pg_attribute a ON a.attrelid = o.of_columns AND NOT a.attisdropped, aclexplode(a.attacl) x
), difference AS (
    SELECT w.sql, w.grantee, w.privilege AS lacks, NULL AS has, NULL::name AS of_column FROM wanted w
    WHERE NOT EXISTS (SELECT FROM held h WHERE h.of_column IS NULL
                        AND (h.sql, h.grantee, h.privilege) = (w.sql, w.grantee, w.privilege))
    UNION ALL
    SELECT h.sql, h.grantee, NULL, h.privilege || coalesce(' (' || quote_ident(h.of_column) || ')', '')
           || CASE WHEN h.is_grantable THEN ' with grant option' ELSE '' END, h.of_column
    FROM held h JOIN looked_at o ON o.sql = h.sql
    LEFT JOIN wanted w ON (w.sql, w.grantee, w.privilege) = (h.sql, h.grantee, h.privilege) AND h.of_column IS NULL
    WHERE h.grantee <> o.owner
      AND (h.is_grantable OR w.sql IS NULL AND (h.grantee = 0 OR h.privilege <> 'SELECT' AND NOT o.open))
)
SELECT o.n AS n, o.kind, o.name,
       coalesce(string_agg(d.lacks || ' for ' || g.name, ', ' ORDER BY g.name, d.lacks), '') AS want,
       coalesce(string_agg(d.has || ' for ' || g.name, ', ' ORDER BY g.name, d.has), '') AS got,
       o.sql AS object, quote_ident(pg_get_userbyid(o.owner)) AS owner,
       array_agg(DISTINCT d.lacks) FILTER (WHERE d.lacks IS NOT NULL AND d.grantee = o.owner) AS owner_lacks,
       array_agg(DISTINCT g.sql) FILTER (WHERE d.of_column IS NOT NULL) AS of_columns
FROM difference d JOIN looked_at o ON o.sql = d.sql
CROSS JOIN LATERAL (SELECT pg_get_userbyid(d.grantee)) r (name)
CROSS JOIN LATERAL (SELECT CASE d.grantee WHEN 0 THEN 'PUBLIC' ELSE r.name END,
                           CASE d.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.name) END) g (name, sql)
GROUP BY o.n, o.kind, o.name, o.sql, o.owner
ORDER BY 1, 3

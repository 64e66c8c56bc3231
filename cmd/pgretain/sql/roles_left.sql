-- Returns the roles of pgretain that exist, as a list in SQL, '' if there are none. It also returns
-- the other databases in which they own something or have privileges.
-- $1: names of the roles
WITH role AS (
    SELECT r.oid, r.rolname AS name FROM pg_catalog.pg_roles r WHERE r.rolname = ANY ($1)
)
SELECT coalesce((SELECT pg_catalog.string_agg(pg_catalog.quote_ident(r.name), ', ' ORDER BY r.name) FROM role r), ''),
       ARRAY(SELECT DISTINCT d.datname::text
             FROM role r
             JOIN pg_catalog.pg_shdepend s ON s.refclassid = 'pg_catalog.pg_authid'::regclass AND s.refobjid = r.oid
             JOIN pg_catalog.pg_database d ON d.oid = CASE
                 WHEN s.dbid <> 0 THEN s.dbid
                 WHEN s.classid = 'pg_catalog.pg_database'::regclass THEN s.objid END
             WHERE d.datname <> pg_catalog.current_database()
             ORDER BY 1)

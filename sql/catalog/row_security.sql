-- Returns the tables whose row security hides rows from a role, or would hide them if the role
-- existed. The other columns are the major version of the server, and the roles besides superusers
-- that can let a role bypass row security. Before PostgreSQL 16 there are none.
-- $1: the role
-- $2: the tables, as schema.name
SELECT n.nspname || '.' || c.relname,
       current_setting('server_version_num')::integer / 10000,
       ARRAY(SELECT o.rolname::text
               FROM pg_roles AS o
              WHERE current_setting('server_version_num')::integer >= 160000
                AND o.rolcanlogin AND o.rolcreaterole AND o.rolbypassrls AND NOT o.rolsuper
              ORDER BY 1)
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN pg_roles AS r ON r.rolname = $1
 WHERE n.nspname || '.' || c.relname = ANY ($2::text[])
   AND c.relrowsecurity
   AND (r.rolsuper OR r.rolbypassrls
        OR NOT c.relforcerowsecurity AND pg_has_role(r.oid, c.relowner, 'USAGE')) IS NOT TRUE;

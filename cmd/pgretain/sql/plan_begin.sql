-- $1: the role that would own the runtime; NULL with "roles: none"; $2: relations as "schema.name", or columns as
-- "schema.name.column", unquoted. The session's temporary schema, whether the role is a superuser, who it is and where,
-- who could become the owner, and what of $2 is not there.
SELECT n.nspname::text, current_setting('is_superuser')::boolean, current_user::text, current_database()::text,
       ARRAY(SELECT r.rolname::text FROM pg_roles o JOIN pg_roles r ON pg_has_role(r.oid, o.oid, 'MEMBER')
             WHERE o.rolname = $1),
       ARRAY(SELECT unnest($2::text[]) EXCEPT (
           SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           UNION ALL
           SELECT n.nspname || '.' || c.relname || '.' || a.attname FROM pg_attribute a
           JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE NOT a.attisdropped))
FROM pg_namespace n WHERE n.oid = pg_my_temp_schema();

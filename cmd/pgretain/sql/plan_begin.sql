-- Parameters: $1 role that would own the runtime (NULL with "roles: none"); $2 names of relations
-- ("schema.name") and columns ("schema.name.column"), unquoted. Returns the temporary schema of the
-- session, whether the role is a superuser, the role, the database, the members of $1, and the
-- names of $2 that do not exist.
SELECT n.nspname::text, current_setting('is_superuser')::boolean, current_user::text, current_database()::text,
       ARRAY(SELECT r.rolname::text FROM pg_roles o JOIN pg_roles r ON pg_has_role(r.oid, o.oid, 'MEMBER')
             WHERE o.rolname = $1),
       ARRAY(SELECT unnest($2::text[]) EXCEPT (
           SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
           UNION ALL
           SELECT n.nspname || '.' || c.relname || '.' || a.attname FROM pg_attribute a
           JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
           WHERE NOT a.attisdropped))
FROM pg_namespace n WHERE n.oid = pg_my_temp_schema();

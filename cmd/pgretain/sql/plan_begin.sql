-- $1: the role that would own the runtime; NULL with "roles: none". The session's temporary schema, whether the role is a
-- superuser, the runtime's version where one is installed, and who could become the owner.
SELECT n.nspname::text, current_setting('is_superuser')::boolean, current_user::text, current_database()::text,
       ARRAY(SELECT r.rolname::text FROM pg_roles o JOIN pg_roles r ON pg_has_role(r.oid, o.oid, 'MEMBER')
             WHERE o.rolname = $1)
FROM pg_namespace n WHERE n.oid = pg_my_temp_schema();

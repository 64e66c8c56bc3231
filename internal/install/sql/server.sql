-- The server as a migration sees it.
SELECT current_setting('server_version_num')::integer,
       pg_is_in_recovery(),
       current_database()::text,
       current_user::text,
       has_database_privilege(current_database(), 'CREATE');

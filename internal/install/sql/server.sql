-- Parameter: $1 schema of the version table. Returns the facts about the server that a migration
-- needs: version, standby, database, role, whether it is a superuser, whether it can create the
-- schema, whether the schema is missing, whether the version table and its column pgretain_state
-- exist, whether the runtime is installed, and whether the role can read the registry.
SELECT current_setting('server_version_num')::integer,
       pg_is_in_recovery(),
       current_database()::text,
       current_user::text,
       current_setting('is_superuser')::boolean,
       has_database_privilege(current_database(), 'CREATE'),
       NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1),
       coalesce(bool_or(c.relname = 'goose_db_version'), false),
       coalesce(bool_or(c.relname = 'goose_db_version' AND EXISTS (
           SELECT FROM pg_catalog.pg_attribute a
           WHERE a.attrelid = c.oid AND a.attname = 'pgretain_state' AND NOT a.attisdropped)), false),
       coalesce(bool_or(c.relname = 'policy'), false),
       coalesce(bool_or(c.relname = 'install' AND has_schema_privilege(n.oid, 'USAGE')
                        AND has_table_privilege(c.oid, 'SELECT')), false)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname IN ('goose_db_version', 'policy', 'install');

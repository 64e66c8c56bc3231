-- $1: the runtime's schema. Whether there is a registry and the role may read it.
SELECT EXISTS (
    SELECT
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname = 'install' AND c.relkind = 'r'
      AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
);

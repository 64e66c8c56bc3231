-- Returns the objects of pgretain that exist. It leaves out the schema $1, the tables with the
-- versions of migrations, and the indexes of the archives $2, which migrate down keeps.
WITH version AS (
    SELECT c.oid FROM pg_class c
    WHERE c.relnamespace = to_regnamespace(quote_ident($1)) AND c.relname IN ('goose_db_version', 'pgretain_state')
), own AS (
    SELECT d.objid FROM pg_depend d JOIN version v ON d.refclassid = 'pg_class'::regclass AND d.refobjid = v.oid
    WHERE d.classid = 'pg_class'::regclass
    UNION ALL
    SELECT i.indexrelid FROM pg_index i JOIN version v ON v.oid = i.indrelid
    UNION ALL
    SELECT v.oid FROM version v
)
SELECT 'function ' || p.oid::regprocedure::text
FROM pg_proc p WHERE p.pronamespace = to_regnamespace(quote_ident($1))
UNION ALL
SELECT CASE c.relkind WHEN 'i' THEN 'index ' WHEN 'v' THEN 'view ' WHEN 'S' THEN 'sequence ' ELSE 'table ' END ||
       c.oid::regclass::text
FROM pg_class c
WHERE (c.relnamespace = to_regnamespace(quote_ident($1)) OR c.relkind = 'i' AND c.relname LIKE 'pgretain\_%')
  AND c.relkind <> 'c' AND c.oid NOT IN (SELECT o.objid FROM own o)
  AND NOT EXISTS (SELECT FROM pg_index i
                  JOIN pg_class t ON t.oid = i.indrelid
                  JOIN pg_namespace n ON n.oid = t.relnamespace
                  WHERE i.indexrelid = c.oid AND n.nspname || '.' || t.relname = ANY ($2))
UNION ALL
SELECT 'type ' || t.oid::regtype::text
FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
WHERE t.typnamespace = to_regnamespace(quote_ident($1)) AND t.typelem = 0 AND coalesce(c.relkind, 'c') = 'c'
ORDER BY 1

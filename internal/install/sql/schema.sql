-- Returns the faults that prevent a migration from creating objects in the schema.
-- Parameters: $1 schema, $2 role that creates the objects.
-- Columns of the result:
-- - fault:
--   - "cannot create": the schema does not exist, and the session's role may not create it
--   - "closed": the creating role may not create objects in it
--   - "owner": its owner is no member of the creating role
--   - "table": it contains a table that pgretain did not create
-- - user, database: of the session
-- - owner: of the schema
-- - table: a table in the schema
SELECT f.fault, current_user::text AS "user", current_database()::text AS database,
       pg_get_userbyid(n.nspowner)::text AS owner, o.name::text AS "table"
FROM (SELECT) AS one
LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1
LEFT JOIN LATERAL (SELECT min(c.relname) AS name, bool_or(w.wanted)
                          AND bool_and(NOT w.wanted OR pg_has_role(c.relowner, $2::name, 'MEMBER')) AS ours
                   FROM pg_catalog.pg_class c
                   CROSS JOIN LATERAL (SELECT c.relname IN ('goose_db_version', 'install') AS wanted) w
                   WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) o ON true
CROSS JOIN LATERAL (VALUES
    ('cannot create', n.oid IS NULL AND NOT has_database_privilege(current_database(), 'CREATE')),
    ('closed', NOT has_schema_privilege($2::name, n.oid, 'CREATE')),
    ('owner', NOT pg_has_role(n.nspowner, $2::name, 'MEMBER')),
    ('table', NOT o.ours)
) AS f (fault, wrong)
WHERE f.wrong;

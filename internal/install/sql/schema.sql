-- Returns message, detail and hint of the fault that prevents a migration from creating objects in
-- the schema. Parameters: $1 schema, $2 role that creates the objects, $3 hint if the migrating
-- role cannot create the schema.
SELECT f.message, f.detail, f.hint
FROM (SELECT) AS one
LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = $1
LEFT JOIN LATERAL (SELECT min(c.relname) AS name, bool_or(w.wanted)
                          AND bool_and(NOT w.wanted OR pg_has_role(c.relowner, $2::name, 'MEMBER')) AS ours
                   FROM pg_catalog.pg_class c CROSS JOIN LATERAL (SELECT c.relname IN ('goose_db_version', 'install') AS wanted) w
                   WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')) o ON true
CROSS JOIN LATERAL (VALUES
    (n.oid IS NULL AND NOT has_database_privilege(current_database(), 'CREATE'),
        format('role "%s" may not create schema "%s" in database "%s"', current_user, $1::text, current_database()),
        '', $3::text),
    (NOT has_schema_privilege($2::name, n.oid, 'CREATE'),
        format('role "%s" may not create objects in schema "%s"', $2::text, $1::text),
        format('The schema exists and belongs to "%s".', pg_get_userbyid(n.nspowner)),
        'Name another schema under install.schema, or make that role its owner.'),
    (NOT pg_has_role(n.nspowner, $2::name, 'MEMBER'),
        format('schema "%s" belongs to role "%s", who is no member of "%s"', $1::text, pg_get_userbyid(n.nspowner), $2::text),
        'The owner of a schema can drop all objects in it, and may have created functions that migrations would call.',
        format('ALTER SCHEMA %I OWNER TO %I; or name another schema under install.schema.', $1::text, $2::text)),
    (NOT o.ours,
        format('schema "%s" contains table "%s", which pgretain did not create', $1::text, o.name),
        'Migrations revoke the privileges of other roles in their schema.',
        'Name another schema under install.schema.')
) AS f (wrong, message, detail, hint)
WHERE f.wrong;

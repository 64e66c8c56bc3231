-- Returns statements that create those of the roles $1 that do not exist.
SELECT coalesce(string_agg(format('CREATE ROLE %I;', r.name), ' '), '')
FROM unnest($1::text[]) AS r (name)
WHERE NOT EXISTS (SELECT FROM pg_roles p WHERE p.rolname = r.name)

-- The schemas for which policies are, and how it stands with their pages: "made", "new" (the next run makes it, anew where
-- it is of another version), "other" (that of another version, as the policy itself), "bare" (the table is missing),
-- "unfit" (no page can have the name), "gone" (the schema is; the next run drops the page).
-- $1: the policies; $2: their patterns; $3: their tables, without schemas; $4: the hashes of their pages.
WITH wanted AS (
    SELECT w.*, e.registers ->> 'hash' AS installed
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) w (policy, pattern, name, hash)
    LEFT JOIN retention.each e ON e.name = w.policy
)
SELECT w.policy, n.nspname::text AS schema, CASE
    WHEN NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = w.name) THEN 'bare'
    WHEN n.nspname <> quote_ident(n.nspname) OR octet_length(concat(w.policy, '@', n.nspname)) > 54 THEN 'unfit'
    WHEN to_regprocedure(format('retention.%I(retention.slice)',
        concat(w.policy, '@', n.nspname, '_rows'))) IS NULL THEN 'new'
    WHEN p.hash = w.hash THEN 'made' WHEN p.hash = w.installed THEN 'other' ELSE 'new' END AS state
FROM wanted w
JOIN pg_namespace n ON n.nspname LIKE replace(replace(w.pattern, '_', '!_'), '*', '%') ESCAPE '!'
LEFT JOIN retention.policy p ON p.name = concat(w.policy, '@', n.nspname)
UNION ALL
SELECT w.policy, split_part(p.name, '@', 2), 'gone' FROM wanted w JOIN retention.policy p ON starts_with(p.name, w.policy || '@')
WHERE NOT EXISTS (SELECT FROM pg_namespace n WHERE concat(w.policy, '@', n.nspname) = p.name)
ORDER BY 1, 2

-- Returns the relations of the runtime's schema that are missing or have another owner.
-- $1: the schema
-- $2: an array of objects with keys name, kind (as in pg_class.relkind) and owner
-- Columns of the result:
-- - n: the position of the relation in $2
-- - owner: its owner, NULL if the relation is missing
SELECT w.n::integer AS n, l.owner
FROM ROWS FROM (jsonb_to_recordset($2) AS (name text, kind text, owner text)) WITH ORDINALITY AS w (name, kind, owner,
    n)
LEFT JOIN (
    SELECT c.relname::text AS name, c.relkind::text AS kind, pg_get_userbyid(c.relowner)::text AS owner
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::text AND c.relkind IN ('c', 'r', 'p', 'v')) l ON l.name = w.name AND l.kind = w.kind
WHERE l.owner IS DISTINCT FROM w.owner
ORDER BY 1

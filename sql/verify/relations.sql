-- Findings on relations of the runtime's schema that are missing (V002) or have another owner
-- (V005).
-- $1: the schema
-- $2: an array of objects with keys name, kind (as in pg_class.relkind) and owner
-- $3: the hint for a missing relation
WITH wanted AS (
    SELECT w.n::integer AS n, w.name, w.kind, w.owner, format('%I.%I', $1::text, w.name) AS sql,
           CASE w.kind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' ELSE 'type' END AS word
    FROM ROWS FROM (jsonb_to_recordset($2) AS (name text, kind text, owner text)) WITH ORDINALITY AS w (name, kind,
        owner, n)
), live AS (
    SELECT c.oid, c.relname::text AS name, c.relkind::text AS kind, pg_get_userbyid(c.relowner)::text AS owner
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::text AND c.relkind IN ('c', 'r', 'p', 'v')
)
SELECT w.n AS place, CASE WHEN l.oid IS NULL THEN 'V002' ELSE 'V005' END AS code, '' AS object,
       format('%s "%s.%s" %s', w.word, $1::text, w.name,
              CASE WHEN l.oid IS NULL THEN 'is missing' ELSE 'has another owner' END) AS message,
       CASE WHEN l.oid IS NULL THEN '' ELSE format('"%s"', w.owner) END AS want,
       CASE WHEN l.oid IS NULL THEN '' ELSE format('"%s"', l.owner) END AS got,
       CASE WHEN l.oid IS NULL THEN $3::text
            ELSE format('ALTER %s %s OWNER TO %I; SELECT retention._apply_privileges();', upper(w.word), w.sql,
                w.owner) END AS hint
FROM wanted w LEFT JOIN live l ON l.name = w.name AND l.kind = w.kind
WHERE l.owner IS DISTINCT FROM w.owner
ORDER BY 1

-- Returns what the database has of an install at the application's objects, for the file of a
-- catalog snapshot. It returns no row if no migration has recorded a state.
-- $1: the runtime's schema
-- $2: the worker, '' if the install has none
-- Columns of the result:
-- - the state that the last applied migration names
-- - the privileges of the worker outside of the runtime's schema
-- - the indexes that migrations built. Indexes attached to another index are left out.
-- - the functions of the policies
WITH worker AS (
    SELECT r.oid FROM pg_roles r WHERE r.rolname = $2::text
), acl AS (
    SELECT 'schema' AS kind, n.nspname::text AS name, coalesce(n.nspacl, acldefault('n', n.nspowner)) AS list
    FROM pg_namespace n WHERE n.nspname <> $1::text
    UNION ALL
    SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'table' END,
           CASE c.relkind WHEN 'S' THEN c.oid::regclass::text ELSE n.nspname || '.' || c.relname END,
           coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname <> $1::text
), held AS (
    SELECT a.kind, a.name, jsonb_agg(DISTINCT x.privilege_type COLLATE "C") AS privileges
    FROM acl a CROSS JOIN LATERAL aclexplode(a.list) x JOIN worker w ON w.oid = x.grantee
    GROUP BY a.kind, a.name
), recorded AS MATERIALIZED (
    SELECT d.schema_name AS schema, d.index_name AS name, substr(d.definition, length(m.head) + 1) AS content,
           array_to_string(parse_ident(m.of_table), '.') AS of_table
    FROM retention.index_definition d
    CROSS JOIN LATERAL (
        SELECT match[1], match[2]
        FROM regexp_match(d.definition, '^(CREATE INDEX (?:"(?:[^"]|"")*"|[^ ]+) ON (?:ONLY )?'
                          '((?:"(?:[^"]|"")*"|[^ ".]+)\.(?:"(?:[^"]|"")*"|[^ ".]+)))') match) m (head, of_table)
), index AS MATERIALIZED (
    SELECT i.indexrelid AS oid, n.nspname::text AS schema, c.relname::text AS name,
           tn.nspname || '.' || t.relname AS of_table, i.indisvalid AND i.indisready AS valid,
           d.text LIKE 'pgretain: index %' AS marked, pg_get_indexdef(i.indexrelid) AS definition
    FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace tn ON tn.oid = t.relnamespace
    CROSS JOIN LATERAL (SELECT coalesce(obj_description(i.indexrelid, 'pg_class'), '')) d (text)
    WHERE NOT c.relispartition AND i.indislive
      AND (d.text LIKE 'pgretain: index %' OR (n.nspname, c.relname) IN (SELECT r.schema, r.name FROM recorded r))
), built AS (
    SELECT DISTINCT ON (i.oid) i.*, r.schema || '.' || r.name AS built, r.of_table AS built_table
    FROM index i JOIN recorded r ON (i.schema, i.name) = (r.schema, r.name)
        -- The index moved to another schema with its table, or was renamed.
        OR i.marked AND (i.name = r.name
                         OR i.of_table = r.of_table AND right(i.definition, length(r.content)) = r.content)
    ORDER BY i.oid, (i.schema, i.name) = (r.schema, r.name) DESC, i.name = r.name DESC, r.schema COLLATE "C",
             r.name COLLATE "C"
)
SELECT s.state,
       (SELECT coalesce(jsonb_agg(to_jsonb(h) ORDER BY h.kind COLLATE "C", h.name COLLATE "C"), '[]') FROM held h),
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
                   'name', b.schema || '.' || b.name, 'table', b.of_table, 'valid', b.valid, 'built', b.built,
                   'built_table', b.built_table) ORDER BY b.schema COLLATE "C", b.name COLLATE "C"), '[]')
        FROM built b),
       (SELECT coalesce(jsonb_agg(p.name ORDER BY p.name COLLATE "C"), '[]')
        FROM (SELECT DISTINCT p.proname::text AS name
              FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
              JOIN retention.policy y ON starts_with(p.proname, y.name || '_')
              WHERE n.nspname = $1::text AND NOT starts_with(p.proname, '_')) p)
FROM retention.install s WHERE s.state IS NOT NULL;

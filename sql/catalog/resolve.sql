-- Finds tables by name.
-- $1 text[]: names, "schema.name" or "name", unquoted as people and snapshots write them.
-- $2 text[]: the schemas that a bare name is looked for in, first one first, after pg_catalog.
-- Returns every name with the table's oid, NULL where there is none. A name comes twice where two
-- tables answer to it, which takes a dot inside a schema or table name.
-- Needs no privilege on schema or table, unlike to_regclass.
WITH relation AS (
    SELECT c.oid, n.nspname, c.relname
      FROM pg_class AS c
      JOIN pg_namespace AS n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
),
qualified AS (
    SELECT asked.name, relation.oid
      FROM unnest($1::text[]) AS asked (name)
      JOIN relation ON relation.nspname || '.' || relation.relname = asked.name
),
bare AS (
    SELECT DISTINCT ON (asked.name) asked.name, relation.oid
      FROM unnest($1::text[]) AS asked (name)
      JOIN relation ON relation.relname = asked.name
      JOIN unnest(ARRAY['pg_catalog'] || $2::text[]) WITH ORDINALITY AS path (schema, place) ON path.schema = relation.nspname
     WHERE asked.name NOT IN (SELECT name FROM qualified)
     ORDER BY asked.name, path.place
)
SELECT DISTINCT asked.name, coalesce(qualified.oid, bare.oid) AS oid
  FROM unnest($1::text[]) AS asked (name)
  LEFT JOIN qualified ON qualified.name = asked.name
  LEFT JOIN bare ON bare.name = asked.name
 ORDER BY 1, 2;

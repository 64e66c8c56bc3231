-- Reads foreign keys as people declared them, from and to given tables.
-- $1 oid[]: which tables.
-- Returns referencing and referenced table's oids, two booleans, and the foreign key: name, table,
-- columns, referenced table and columns, action on delete, whether deferrable.
-- One that is NOT ENFORCED (PostgreSQL 18) does nothing, and does not count; older servers have no such
-- column, so that it is asked for by way of jsonb.
-- PostgreSQL keeps copies of a foreign key for every partition on either side. A copy belongs to a
-- table's own list only if its other end is the declared one: "from" says so for the referencing
-- table's list, "to" for the referenced table's.
WITH RECURSIVE declared (oid, root) AS (
    SELECT oid, oid
      FROM pg_constraint
     WHERE contype = 'f' AND conparentid = 0
       AND coalesce((to_jsonb(pg_constraint) ->> 'conenforced')::boolean, true)
    UNION ALL
    SELECT copy.oid, declared.root
      FROM declared
      JOIN pg_constraint AS copy ON copy.conparentid = declared.oid AND copy.contype = 'f'
)
SELECT fk.conrelid,
       fk.confrelid,
       root.confrelid = fk.confrelid AS "from",
       root.conrelid = fk.conrelid AS "to",
       fk.conname::text,
       tn.nspname || '.' || t.relname,
       columns.names,
       rn.nspname || '.' || r.relname,
       ref_columns.names,
       CASE fk.confdeltype
           WHEN 'a' THEN 'no action'
           WHEN 'r' THEN 'restrict'
           WHEN 'c' THEN 'cascade'
           WHEN 'n' THEN 'set null'
           WHEN 'd' THEN 'set default'
       END,
       fk.condeferrable
  FROM declared
  JOIN pg_constraint AS fk ON fk.oid = declared.oid
  JOIN pg_constraint AS root ON root.oid = declared.root
  JOIN pg_class AS t ON t.oid = fk.conrelid
  JOIN pg_namespace AS tn ON tn.oid = t.relnamespace
  JOIN pg_class AS r ON r.oid = fk.confrelid
  JOIN pg_namespace AS rn ON rn.oid = r.relnamespace
 CROSS JOIN LATERAL (
    SELECT array_agg(a.attname::text ORDER BY key.place) AS names
      FROM unnest(fk.conkey) WITH ORDINALITY AS key (attnum, place)
      JOIN pg_attribute AS a ON a.attrelid = fk.conrelid AND a.attnum = key.attnum
 ) AS columns
 CROSS JOIN LATERAL (
    SELECT array_agg(a.attname::text ORDER BY key.place) AS names
      FROM unnest(fk.confkey) WITH ORDINALITY AS key (attnum, place)
      JOIN pg_attribute AS a ON a.attrelid = fk.confrelid AND a.attnum = key.attnum
 ) AS ref_columns
 WHERE fk.conrelid = ANY ($1::oid[])
 ORDER BY fk.conname COLLATE "C", tn.nspname COLLATE "C", t.relname COLLATE "C",
          rn.nspname COLLATE "C", r.relname COLLATE "C";

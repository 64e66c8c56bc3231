-- Reads tables.
-- $1 oid[]: which.
-- Returns one row each: oid, schema, name, kind, the parent it is a partition of ('' for none),
-- inheritance parents, direct partitions or children (NULL for none), whether row security is
-- enabled, how the table is partitioned ('' when it is not), and by which columns ('' for an
-- expression).
SELECT c.oid,
       n.nspname::text,
       c.relname::text,
       CASE c.relkind
           WHEN 'r' THEN 'table'
           WHEN 'p' THEN 'partitioned'
           WHEN 'v' THEN 'view'
           WHEN 'm' THEN 'materialized view'
           WHEN 'f' THEN 'foreign'
       END,
       CASE WHEN c.relispartition THEN parents.names[1] ELSE '' END,
       CASE WHEN c.relispartition THEN NULL ELSE parents.names END,
       children.names,
       c.relrowsecurity,
       CASE k.partstrat WHEN 'r' THEN 'range' WHEN 'l' THEN 'list' WHEN 'h' THEN 'hash' ELSE '' END,
       key.names
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN pg_partitioned_table AS k ON k.partrelid = c.oid
 CROSS JOIN LATERAL (
    SELECT array_agg(qualified.name ORDER BY qualified.name COLLATE "C") AS names
      FROM pg_inherits AS i
      JOIN pg_class AS p ON p.oid = i.inhparent
      JOIN pg_namespace AS pn ON pn.oid = p.relnamespace
     CROSS JOIN LATERAL (SELECT pn.nspname || '.' || p.relname AS name) AS qualified
     WHERE i.inhrelid = c.oid
 ) AS parents
 CROSS JOIN LATERAL (
    SELECT array_agg(qualified.name ORDER BY qualified.name COLLATE "C") AS names
      FROM pg_inherits AS i
      JOIN pg_class AS p ON p.oid = i.inhrelid
      JOIN pg_namespace AS pn ON pn.oid = p.relnamespace
     CROSS JOIN LATERAL (SELECT pn.nspname || '.' || p.relname AS name) AS qualified
     WHERE i.inhparent = c.oid
 ) AS children
 CROSS JOIN LATERAL (
    SELECT array_agg(coalesce(a.attname::text, '') ORDER BY u.place) AS names
      FROM unnest(k.partattrs) WITH ORDINALITY AS u (attnum, place)
      LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = u.attnum AND a.attnum > 0
 ) AS key
 WHERE c.oid = ANY ($1::oid[])
 ORDER BY n.nspname COLLATE "C", c.relname COLLATE "C";

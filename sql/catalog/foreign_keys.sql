-- Reads foreign keys between tables, as people declared them.
-- $1 oid[]: which tables.
-- Returns the referenced table's oid, and the foreign key: name, table, columns, referenced table and columns, action on
-- delete, whether deferrable. PostgreSQL keeps copies of a key for every partition on either side, which say nothing new.
-- One that is NOT ENFORCED (PostgreSQL 18) does nothing, and does not count; older servers have no such
-- column, so that it is asked for by way of jsonb.
SELECT fk.confrelid,
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
  FROM pg_constraint AS fk
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
 WHERE fk.contype = 'f' AND fk.conparentid = 0
   AND fk.conrelid = ANY ($1::oid[]) AND fk.confrelid = ANY ($1::oid[])
   AND coalesce((to_jsonb(fk) ->> 'conenforced')::boolean, true)
 ORDER BY fk.conname COLLATE "C", tn.nspname COLLATE "C", t.relname COLLATE "C";

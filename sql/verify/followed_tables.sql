-- The tables of some names, all below them, and all that have a foreign key: their oid, name as
-- schema.table, that of the whole of which they are a partition (their own else), and the tables that they inherit from. $1: names.
WITH RECURSIVE below AS (
    SELECT c.oid
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname = ANY ($1::text[])
    UNION
    SELECT i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = b.oid
)
SELECT c.oid, n.nspname || '.' || c.relname, wn.nspname || '.' || w.relname,
       ARRAY(SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = c.oid)
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_class w ON w.oid = coalesce(pg_partition_root(c.oid), c.oid)
JOIN pg_namespace wn ON wn.oid = w.relnamespace
WHERE c.relkind IN ('r', 'p')
  AND c.oid IN (SELECT b.oid FROM below b UNION SELECT k.conrelid FROM pg_constraint k WHERE k.contype = 'f')

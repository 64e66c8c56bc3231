-- The tables within reach of given ones. $1: names, as schema.table. One row each for these, all
-- below them, to any depth those that refer to them by foreign keys, and all above: their oid, name,
-- name as SQL writes it, whether it is a partition, and the oids of the tables right above it.
WITH RECURSIVE edge (source, target, goes_on) AS (
    SELECT k.confrelid, k.conrelid, k.confdeltype = 'c'
    FROM pg_constraint k
    WHERE k.contype = 'f' AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
    UNION ALL
    SELECT i.inhparent, i.inhrelid, true FROM pg_inherits i
), within (oid, goes_on) AS (
    SELECT c.oid, true
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname || '.' || c.relname = ANY ($1::text[])
    UNION
    SELECT e.target, e.goes_on
    FROM within w JOIN edge e ON e.source = w.oid
    WHERE w.goes_on
), above (oid) AS (
    SELECT w.oid FROM within w
    UNION
    SELECT i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.oid
)
SELECT c.oid, n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname), c.relispartition,
       ARRAY(SELECT i.inhparent FROM pg_inherits i WHERE i.inhrelid = c.oid ORDER BY i.inhseqno)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid IN (SELECT a.oid FROM above a) AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
ORDER BY 2

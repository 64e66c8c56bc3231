-- Every table that a delete of a policy changes through foreign keys (CASCADE, SET NULL, SET
-- DEFAULT), to any depth, with one path that leads there. The same walk as the runtime's _reach,
-- written once more: what is verified does not vouch for itself. $1: the tables that the policy
-- deletes from, as schema.table.
WITH RECURSIVE named AS (
    SELECT c.oid, n.nspname || '.' || c.relname AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p')
), member AS (
    SELECT t.oid FROM named t WHERE t.name = ANY ($1::text[])
    UNION
    SELECT i.inhrelid FROM member m JOIN pg_inherits i ON i.inhparent = m.oid
), walk AS (
    SELECT m.oid AS rel, true AS goes_on, ARRAY[m.oid] AS seen, t.name COLLATE "C" AS path
    FROM member m JOIN named t ON t.oid = m.oid
    UNION ALL
    SELECT k.conrelid, k.confdeltype = 'c' AND k.conrelid <> ALL (w.seen), w.seen || k.conrelid,
           format('%s -> %s (%s)', w.path, t.name, k.conname) COLLATE "C"
    FROM walk w
    JOIN pg_constraint k ON k.confrelid = w.rel AND k.contype = 'f'
                        AND k.confdeltype IN ('c', 'n', 'd')
                        AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
    JOIN named t ON t.oid = k.conrelid
    WHERE w.goes_on AND cardinality(w.seen) <= 64
)
SELECT DISTINCT ON (t.name) t.name, w.path
FROM walk w JOIN named t ON t.oid = coalesce(pg_partition_root(w.rel), w.rel)::oid
WHERE cardinality(w.seen) > 1
ORDER BY t.name, cardinality(w.seen), w.path

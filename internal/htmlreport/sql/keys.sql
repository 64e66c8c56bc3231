-- The foreign keys that deletes of the policies reach, step by step: the table that is referred to, the one that
-- refers, what happens there on delete. Keys of partitions are those of their tables.
WITH RECURSIVE named AS (
    SELECT c.oid, n.nspname || '.' || c.relname AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p')
), reached (rel) AS (
    SELECT x.oid FROM named x WHERE x.name IN (SELECT unnest(p.deletes || p.statement_deletes) FROM retention.policy p)
    UNION SELECT k.conrelid FROM reached r JOIN pg_constraint k ON k.confrelid = r.rel
    WHERE k.contype = 'f' AND k.confdeltype = 'c' AND k.conparentid = 0
)
SELECT DISTINCT a.name, b.name,
       CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE 'keeps' END
FROM reached r JOIN pg_constraint k ON k.confrelid = r.rel AND k.contype = 'f' AND k.conparentid = 0
JOIN named a ON a.oid = k.confrelid JOIN named b ON b.oid = k.conrelid
ORDER BY 1, 2, 3

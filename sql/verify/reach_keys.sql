-- Foreign keys to given tables, as people declared them. $1: oids. One row per key and given table:
-- the key's oid, name and table, the given table, the table that the key was declared to refer to, what happens on
-- delete, whether that waits for the end of the transaction, whether a trigger that makes it happen is switched off,
-- the key's triggers there that are, as SQL writes them, and the columns that are NOT NULL of those that SET NULL, or
-- SET DEFAULT without a default, writes. PostgreSQL keeps copies of a key for every partition on either side; those of
-- its own table's partitions act on nothing.
WITH RECURSIVE declared (oid, root) AS (
    SELECT k.oid, k.oid
    FROM pg_constraint k
    WHERE k.contype = 'f' AND k.conparentid = 0
      AND coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true)
    UNION ALL
    SELECT k.oid, d.root
    FROM declared d JOIN pg_constraint k ON k.conparentid = d.oid AND k.contype = 'f'
)
SELECT r.oid, r.conname::text, r.conrelid, k.confrelid, r.confrelid,
       CASE r.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
                          WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' END, r.condeferred,
       EXISTS (SELECT FROM pg_trigger t
               WHERE t.tgconstraint = k.oid AND t.tgrelid = k.confrelid
                 AND t.tgtype & 8 <> 0 AND t.tgenabled IN ('D', 'R')),
       ARRAY(SELECT quote_ident(t.tgname) FROM pg_trigger t
             WHERE t.tgconstraint = k.oid AND t.tgrelid = k.confrelid AND t.tgenabled IN ('D', 'R') ORDER BY t.oid),
       ARRAY(SELECT a.attname::text
             FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
             WHERE a.attrelid = r.conrelid AND a.attnum = ANY (coalesce(r.confdelsetcols, r.conkey)) AND (a.attnotnull OR y.typnotnull)
               AND (r.confdeltype = 'n' OR r.confdeltype = 'd' AND NOT a.atthasdef AND a.attidentity = '')
             ORDER BY a.attnum)
FROM declared d JOIN pg_constraint k ON k.oid = d.oid JOIN pg_constraint r ON r.oid = d.root
WHERE k.confrelid = ANY ($1::oid[]) AND k.conrelid = r.conrelid
ORDER BY r.conname COLLATE "C", r.oid, k.confrelid

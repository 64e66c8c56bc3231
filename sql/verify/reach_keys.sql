-- Returns the foreign keys that keep due rows, or that are switched off.
-- $1: the result of query reach
-- $2: the catalog snapshot, NULL if there is none
-- Columns of the result:
-- - policy, key, action: the policy, the foreign key and its ON DELETE
-- - child, parent: the referring table, and the table that it refers to
-- - off: true if a trigger of the key on the parent is disabled, so that it keeps no rows
-- - parent_sql, triggers: the parent, and these triggers, as SQL; '' and '{}' if none is disabled
-- - partitions: true if the key keeps partitions that are detached or dropped
-- - strict: the columns into which the key would write NULL although they are NOT NULL; '' if there
--   is none
-- - new: true if the snapshot does not have the key
-- - names: the referring table, and the tables that it is a partition or a child of
-- - step: the step that meets the foreign key
-- - anytime: true if the key is checked at the end of the transaction, so that a later step may
--   delete the referring rows
-- NO ACTION and RESTRICT refuse to delete a row that is referred to. So do SET NULL and SET DEFAULT
-- if they would write NULL into a NOT NULL column. Column strict has these columns.
-- If a policy drops partitions, a foreign key to them refuses, whatever its ON DELETE says. If it
-- detaches partitions, a key to the partitioned table refuses, but a key to the partition itself
-- does not, because it stays with the detached table. If the table is partitioned by list, the
-- detached partitions are one level deeper, so keys to its own partitions refuse.
WITH RECURSIVE met AS MATERIALIZED (
    SELECT m.policy, m.step, m.event, m.key, bool_or(m.off) AS off
    FROM jsonb_to_recordset($1::jsonb -> 'keys') AS m (policy text, step integer, event text, key oid, off boolean)
    GROUP BY 1, 2, 3, 4
), effect AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb -> 'effects') AS e (policy text, step integer, event text, rel oid,
        named boolean)
), above (key, rel) AS (
    SELECT k.oid, k.conrelid FROM pg_constraint k WHERE k.oid IN (SELECT m.key FROM met m)
    UNION
    SELECT a.key, i.inhparent FROM above a JOIN pg_inherits i ON i.inhrelid = a.rel
), names AS MATERIALIZED (
    SELECT c.oid, n.nspname || '.' || c.relname AS name, c.relispartition FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p')
), key AS MATERIALIZED (
    SELECT k.oid, k.conname, k.conrelid, k.confrelid, k.condeferred AND k.confdeltype = 'a' AS anytime,
           p.name AS parent, p.relispartition, c.name AS child,
           CASE k.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
                              WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' END AS action,
           (SELECT string_agg(a.attname, ', ' ORDER BY a.attnum)
            FROM pg_attribute a JOIN pg_type y ON y.oid = a.atttypid
            WHERE a.attrelid = k.conrelid AND a.attnum = ANY (coalesce(k.confdelsetcols, k.conkey))
                AND (y.typnotnull OR a.attnotnull AND NOT EXISTS (
                     SELECT FROM pg_trigger g WHERE g.tgrelid = k.conrelid AND NOT g.tgisinternal
                       AND g.tgenabled <> 'D' AND g.tgtype & 19 = 19))
              AND (k.confdeltype = 'n'
                   OR k.confdeltype = 'd' AND NOT a.atthasdef AND a.attidentity = '' AND y.typdefault IS NULL)) AS strict,
           ARRAY(SELECT t.name FROM above x JOIN names t ON t.oid = x.rel WHERE x.key = k.oid) AS names
    FROM pg_constraint k JOIN names p ON p.oid = k.confrelid JOIN names c ON c.oid = k.conrelid
    WHERE k.oid IN (SELECT m.key FROM met m)
), keeps AS (
    SELECT m.policy, m.step, m.event <> 'DELETE' AS partitions, k.*,
           CASE WHEN s.name IS NULL THEN $2::jsonb IS NOT NULL AND k.relispartition
                ELSE (s.referenced @> jsonb_build_array(jsonb_build_object(
                          'name', k.conname, 'table', k.child, 'on_delete', lower(k.action)))) IS NOT TRUE END AS new
    FROM met m JOIN key k ON k.oid = m.key
    LEFT JOIN jsonb_to_recordset($2::jsonb -> 'tables') AS s (schema text, name text, referenced jsonb)
           ON s.schema || '.' || s.name = k.parent
    WHERE NOT m.off AND CASE m.event
              WHEN 'DROP' THEN true
              WHEN 'DETACH' THEN EXISTS (
                  SELECT FROM effect e LEFT JOIN pg_partitioned_table l ON l.partrelid = e.rel AND l.partstrat = 'l'
                  LEFT JOIN pg_inherits i ON i.inhparent = l.partrelid AND i.inhrelid = k.confrelid
                  WHERE e.policy = m.policy AND e.event = m.event AND e.named
                      AND (e.rel = k.confrelid OR i.inhrelid IS NOT NULL))
              ELSE (k.strict IS NOT NULL OR k.action IN ('NO ACTION', 'RESTRICT')) AND NOT EXISTS (
                  SELECT FROM effect e
                  WHERE e.policy = m.policy AND e.step = m.step AND e.event = 'DELETE' AND e.rel = k.conrelid) END
)
SELECT x.policy, x.conname::text AS key, x.action, x.child, x.parent, false AS off, '' AS parent_sql,
       '{}'::text[] AS triggers, x.partitions, coalesce(x.strict, '') AS strict, x.new, x.names, x.step, x.anytime
FROM keeps x
UNION
SELECT m.policy, k.conname, k.action, k.child, r.name, true, r.oid::regclass::text,
       -- other triggers of the table may be disabled on purpose
       ARRAY(SELECT quote_ident(t.tgname) FROM pg_trigger t JOIN pg_constraint c ON c.oid = t.tgconstraint
             WHERE t.tgrelid = r.oid AND t.tgenabled IN ('D', 'R') AND (c.oid = k.oid OR c.conparentid = k.oid)
             ORDER BY t.oid), false, '', false, '{}', 0, false
FROM (SELECT DISTINCT ON (m.policy, m.key) m.*
      FROM jsonb_to_recordset($1::jsonb -> 'keys') AS m (policy text, event text, key oid, referenced oid, off boolean)
      WHERE m.off AND m.event = 'DELETE' ORDER BY m.policy, m.key, m.referenced) m
JOIN key k ON k.oid = m.key JOIN names r ON r.oid = m.referenced
ORDER BY 1, 4, 2

-- Findings on tables whose rows nothing takes. $1: the schemas that are looked at, whose places are those of the findings;
-- $2: tables that something takes care of, as schema.table; $3: those that deletes reach by foreign key, which counts
-- where it deletes rows; $4: the tables that rows are deleted from; $5: tables whose partitions are detached and dropped
-- later: what has the same columns is taken for one, but not $6, where steps write to; $7 and $8: tables and what
-- policies do there, a sentence each. Partitions count with their root, and are covered with whatever they inherit from.
-- Not looked at: temporary and foreign tables, those of extensions. The detail has the size, unless that would wait for
-- an ACCESS EXCLUSIVE lock, about how many rows there are (unless they were never analysed), and how many were inserted;
-- a standby counts no row of its primary.
WITH RECURSIVE named AS (
    SELECT c.oid, n.nspname::text AS schema, c.relname::text AS table, n.nspname || '.' || c.relname AS name,
           c.relkind, c.relispartition, c.relpersistence::text AS persistence, c.reltuples
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p')
), cared AS (
    SELECT t.oid FROM named t
    WHERE t.name = ANY ($2::text[])
       OR t.name = ANY ($3::text[])
          AND EXISTS (SELECT FROM pg_constraint k JOIN named r ON r.oid = k.confrelid
                      WHERE k.conrelid = t.oid AND k.contype = 'f' AND k.confdeltype = 'c'
                        AND r.name = ANY ($3::text[] || $4::text[]))
    UNION
    SELECT i.inhrelid FROM cared d JOIN pg_inherits i ON i.inhparent = d.oid
), columns AS (
    SELECT a.attrelid AS oid,
           array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) ORDER BY a.attname) AS list
    FROM pg_attribute a JOIN named t ON t.oid = a.attrelid
    WHERE cardinality($5::text[]) > 0 AND a.attnum > 0 AND NOT a.attisdropped
      AND (t.schema = ANY ($1::text[]) OR t.name = ANY ($5::text[]))
    GROUP BY 1
), root AS (
    SELECT t.* FROM named t
    WHERE t.schema = ANY ($1::text[]) AND NOT t.relispartition AND t.persistence <> 't'
      AND t.oid NOT IN (SELECT d.oid FROM cared d)
      AND NOT EXISTS (SELECT FROM pg_depend e
                      WHERE e.classid = 'pg_class'::regclass AND e.objid = t.oid AND e.deptype = 'e')
      AND NOT (t.relkind = 'r' AND t.name <> ALL ($6::text[]) AND EXISTS (
              SELECT FROM columns own
              JOIN columns other ON other.list = own.list AND other.oid <> own.oid
              JOIN named p ON p.oid = other.oid AND p.name = ANY ($5::text[])
              WHERE own.oid = t.oid))
), tree AS (
    SELECT r.oid AS root, r.oid, r.relkind, r.reltuples FROM root r
    UNION ALL
    SELECT t.root, p.oid, p.relkind, p.reltuples
    FROM tree t
    JOIN pg_inherits i ON i.inhparent = t.oid
    JOIN named p ON p.oid = i.inhrelid AND p.relispartition
), leaf AS (
    SELECT t.root, count(*) AS all_parts, count(*) FILTER (WHERE d.oid IS NULL) AS parts,
           sum(CASE WHEN t.reltuples >= 0 THEN t.reltuples::bigint
                    ELSE nullif(pg_stat_get_live_tuples(t.oid), 0) END)
               FILTER (WHERE d.oid IS NULL)::bigint AS rows,
           sum(pg_stat_get_tuples_inserted(t.oid)) FILTER (WHERE d.oid IS NULL)::bigint AS inserted,
           array_agg(t.oid) FILTER (WHERE d.oid IS NULL) AS oids
    FROM tree t LEFT JOIN cared d ON d.oid = t.oid
    WHERE t.relkind = 'r'
    GROUP BY 1
), locked AS MATERIALIZED (
    SELECT DISTINCT l.relation
    FROM pg_locks l JOIN pg_database b ON b.oid = l.database AND b.datname = current_database()
    WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
), uncovered AS MATERIALIZED (
    SELECT r.schema, r.name, r.relkind = 'p' AS partitioned, r.persistence, l.parts, l.rows, coalesce(l.inserted, 0) AS inserted, l.oids
    FROM root r LEFT JOIN leaf l ON l.root = r.oid
    WHERE coalesce(l.parts > 0 OR l.all_parts = 0, true)
)
SELECT array_position($1::text[], u.schema) AS place, u.name AS object,
       format('%s "%s" has no policy, no protection and no exemption',
              CASE WHEN u.partitioned THEN 'partitioned table' WHEN u.persistence = 'u' THEN 'unlogged table' ELSE 'table' END, u.name) AS message,
       concat_ws(' ', growth.size, growth.inserted, (SELECT string_agg(w.does, ' ' ORDER BY w.n)
                                                    FROM unnest($7::text[], $8::text[]) WITH ORDINALITY AS w (name, does, n)
                                                    WHERE w.name = u.name)) AS detail,
       format('Write a policy for it, or name %s under "protect" or under "exempt" of "coverage".', u.name) AS hint
FROM uncovered u
CROSS JOIN LATERAL (
    SELECT 'It has no partition yet.', NULL WHERE u.partitioned AND u.parts IS NULL
    UNION ALL
    SELECT format('%s%s%s.',
                  CASE WHEN EXISTS (SELECT FROM locked l WHERE l.relation = ANY (u.oids))
                       THEN 'Its size could not be read, for somebody has it to himself'
                       ELSE 'It takes ' || (SELECT pg_size_pretty(coalesce(sum(pg_total_relation_size(o.oid)), 0)) FROM unnest(u.oids) AS o (oid)) END,
                  CASE WHEN u.partitioned THEN format(' in %s %s', u.parts, CASE u.parts WHEN 1 THEN 'partition' ELSE 'partitions' END) END,
                  CASE WHEN u.rows IS NOT NULL THEN format(', about %s %s', u.rows, CASE u.rows WHEN 1 THEN 'row' ELSE 'rows' END) END),
           CASE WHEN NOT pg_is_in_recovery()
                THEN format('%s inserted since %s.', u.inserted || CASE u.inserted WHEN 1 THEN ' row was' ELSE ' rows were' END,
                            coalesce((SELECT to_char(s.stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
                                      FROM pg_stat_database s WHERE s.datname = current_database()), 'its statistics began')) END
    WHERE NOT (u.partitioned AND u.parts IS NULL)) growth (size, inserted)
ORDER BY 1, 2

-- Tables whose rows nothing takes. $1: the schemas that are looked at; $2: tables that something takes
-- care of, as schema.table; $3: those that deletes reach by foreign key, which counts where it deletes
-- rows; $4: the tables that rows are deleted from; $5: tables whose partitions are detached and dropped
-- later: what has the same columns is taken for one, but not $6, where steps write to. Partitions count with their root, and are covered
-- with whatever they inherit from. Not looked at: temporary and foreign tables, those of extensions.
-- One row per table, or root of partitions: schema, name, persistence, whether it is partitioned, how
-- many of its partitions nothing covers, about how many rows they have (NULL: never analysed), how many
-- were inserted, since when that is counted (NULL: since the statistics began; both are NULL on a
-- standby, which counts no row of its primary), and the oids of what holds rows.
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
)
SELECT r.schema, r.table, r.persistence, r.relkind = 'p', coalesce(l.parts, 0)::integer, l.rows,
       CASE WHEN NOT pg_is_in_recovery() THEN coalesce(l.inserted, 0) END,
       (SELECT s.stats_reset FROM pg_stat_database s WHERE s.datname = current_database()),
       coalesce(l.oids, '{}')
FROM root r LEFT JOIN leaf l ON l.root = r.oid
WHERE coalesce(l.parts > 0 OR l.all_parts = 0, true)
ORDER BY 1, 2

-- Holds in force that no row can meet: those by a column which their table lacks, and those on a table that is a
-- partition now, whose rows are held under the name of the table above: id, table, column ('' for none), that table
-- ('' for none), reason.
SELECT h.id, h.table_name, coalesce(h.by_column, ''), '', h.reason
FROM retention.hold h
WHERE h.by_column IS NOT NULL AND h.released_at IS NULL
  AND (h.until IS NULL OR h.until > clock_timestamp())
  AND NOT EXISTS (SELECT FROM pg_class c
                  JOIN pg_namespace n ON n.oid = c.relnamespace
                  JOIN pg_attribute a ON a.attrelid = c.oid
                  WHERE n.nspname || '.' || c.relname = h.table_name AND a.attname = h.by_column
                    AND a.attnum > 0 AND NOT a.attisdropped)
UNION ALL
SELECT h.id, h.table_name, '', rn.nspname || '.' || r.relname, h.reason
FROM retention.hold h
JOIN (pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace)
  ON n.nspname || '.' || c.relname = h.table_name AND c.relispartition
JOIN (pg_class r JOIN pg_namespace rn ON rn.oid = r.relnamespace) ON r.oid = pg_partition_root(c.oid)
WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp())
ORDER BY 1

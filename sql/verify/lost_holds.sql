-- Holds in force that go by a column which their table lacks: id, table, column, reason.
SELECT h.id, h.table_name, h.by_column, h.reason
FROM retention.hold h
WHERE h.by_column IS NOT NULL AND h.released_at IS NULL
  AND (h.until IS NULL OR h.until > clock_timestamp())
  AND NOT EXISTS (SELECT FROM pg_class c
                  JOIN pg_namespace n ON n.oid = c.relnamespace
                  JOIN pg_attribute a ON a.attrelid = c.oid
                  WHERE n.nspname || '.' || c.relname = h.table_name AND a.attname = h.by_column
                    AND a.attnum > 0 AND NOT a.attisdropped)
ORDER BY 1

-- Holds in force on tables that are not there. One row per table: how many holds, of the first its
-- number and reason, and all numbers.
SELECT h.table_name, count(*), min(h.id), (array_agg(h.reason ORDER BY h.id))[1], array_agg(h.id ORDER BY h.id)
FROM retention.hold h
WHERE h.released_at IS NULL AND (h.until IS NULL OR h.until > clock_timestamp())
  AND NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname || '.' || c.relname = h.table_name AND c.relkind IN ('r', 'p', 'f'))
GROUP BY 1
ORDER BY 1

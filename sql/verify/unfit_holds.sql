-- Returns the first hold in force of each table that cannot be applied.
-- Columns of the result:
-- - table: the table
-- - reason: why the hold was placed
-- - why, hint: why it cannot be applied and what to do, in the words of the runtime
SELECT DISTINCT ON (h.id) h.table_name AS "table", h.reason, u.why, retention._trip_hint('hold', NULL, u.why) AS hint
FROM (SELECT x.rel FROM retention.hold x
      WHERE x.released_at IS NULL AND (x.until IS NULL OR x.until > clock_timestamp()) GROUP BY 1) r
CROSS JOIN LATERAL retention._invalid_hold(ARRAY[coalesce(pg_partition_root(r.rel), r.rel)], clock_timestamp()) u (why)
JOIN retention.hold h ON h.id = substring(u.why FROM 'hold (\d+)')::bigint
ORDER BY h.id

-- Findings on holds in force that cannot be applied. Only the first such hold of each table has a
-- finding.
SELECT DISTINCT ON (h.id) h.table_name AS object, u.why AS message,
       format('It was placed for: %s. The runtime cannot determine which rows are held. '
              'Runs of policies that reach the table trip until the hold is placed again.', h.reason) AS detail,
       retention._trip_hint('hold', NULL, u.why) AS hint
FROM (SELECT x.rel FROM retention.hold x
      WHERE x.released_at IS NULL AND (x.until IS NULL OR x.until > clock_timestamp()) GROUP BY 1) r
CROSS JOIN LATERAL retention._invalid_hold(ARRAY[coalesce(pg_partition_root(r.rel), r.rel)], clock_timestamp()) u (why)
JOIN retention.hold h ON h.id = substring(u.why FROM 'hold (\d+)')::bigint
ORDER BY h.id

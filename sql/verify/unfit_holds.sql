-- Why holds in force cannot be honoured, a sentence for each table: the hold, its table and reason, the sentence.
SELECT DISTINCT ON (h.id) h.id, h.table_name, h.reason, u.why
FROM (SELECT x.rel FROM retention.hold x
      WHERE x.released_at IS NULL AND (x.until IS NULL OR x.until > clock_timestamp()) GROUP BY 1) r
CROSS JOIN LATERAL retention._unfit_hold(ARRAY[coalesce(pg_partition_root(r.rel), r.rel)], clock_timestamp()) u (why)
JOIN retention.hold h ON h.id = substring(u.why FROM 'hold (\d+)')::bigint
ORDER BY h.id

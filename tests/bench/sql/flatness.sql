-- Returns the time of the last quarter of the newest run's batches, divided by that of the first
-- quarter. The result is NULL with fewer than eight batches. The first batch is left out because it
-- has no position to start from, and the last one because it may be short.
SELECT CASE WHEN count(*) >= 8 THEN
           sum(b.ms) FILTER (WHERE b.quarter = 4) / sum(b.ms) FILTER (WHERE b.quarter = 1) END
FROM (SELECT b.ms, ntile(4) OVER (ORDER BY b.n) AS quarter
      FROM retention.batch b
      WHERE b.run_id = (SELECT max(r.id) FROM retention.run r)
        AND b.n > 1 AND b.scanned = (SELECT max(x.scanned) FROM retention.batch x WHERE x.run_id = b.run_id)) b

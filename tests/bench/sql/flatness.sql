-- The time of the last quarter of the last run's batches over that of the first quarter; NULL with
-- fewer than eight. The first batch, which has no position to start from, and the last one, which
-- may be short, are left out.
SELECT CASE WHEN count(*) >= 8 THEN
           sum(b.ms) FILTER (WHERE b.quarter = 4) / sum(b.ms) FILTER (WHERE b.quarter = 1) END
FROM (SELECT b.ms, ntile(4) OVER (ORDER BY b.n) AS quarter
      FROM retention.batch b
      WHERE b.run_id = (SELECT max(r.id) FROM retention.run r)
        AND b.n > 1 AND b.scanned = (SELECT max(x.scanned) FROM retention.batch x WHERE x.run_id = b.run_id)) b

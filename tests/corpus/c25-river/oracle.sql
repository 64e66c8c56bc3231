-- as_of: 2025-03-31 00:30:00+00

-- table: river.river_job
SELECT * FROM river.river_job
EXCEPT ALL
SELECT * FROM river.river_job
WHERE queue <> 'audit' AND queue <> 'billing'
  AND (state IN ('completed', 'cancelled') AND extract(epoch FROM :as_of - finalized_at) > 86400
    OR state = 'discarded' AND extract(epoch FROM :as_of - finalized_at) > 7 * 86400);

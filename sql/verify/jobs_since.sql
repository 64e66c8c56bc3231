-- When jobs last began a run. $1: jobs. One row per job that ever ran.
SELECT r.job, max(r.started_at) FROM retention.run r WHERE r.job = ANY ($1::text[]) GROUP BY 1

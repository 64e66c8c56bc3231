-- What jobs did in the last 24 hours, a row for each start: runs of one session that follow each other within 10 s.
-- When it began and ended, whether a run went wrong, and whether one found its table taken.
SELECT r.job, min(r.started_at), max(coalesce(r.ended_at, now())),
       bool_or(r.state IN ('failed', 'tripped', 'abandoned')), bool_or(r.state = 'busy')
FROM (SELECT x.*, count(*) FILTER (WHERE x.begins) OVER (PARTITION BY x.job ORDER BY x.id) AS start
      FROM (SELECT y.*, lag(y.pid) OVER w IS DISTINCT FROM y.pid
                        OR y.started_at > lag(y.ended_at) OVER w + interval '10 s' AS begins
            FROM retention.run y
            WHERE y.job IS NOT NULL AND NOT y.dry_run AND y.started_at >= now() - interval '24 hours'
              AND (y.ended_at >= now() - interval '24 hours' OR y.state = 'running')
            WINDOW w AS (PARTITION BY y.job ORDER BY y.id)) x) r
GROUP BY r.job, r.start
ORDER BY r.job, 2

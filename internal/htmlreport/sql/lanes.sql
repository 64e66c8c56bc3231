-- Returns one row for each job about the last 24 hours: number of starts, their durations, failed
-- starts, and starts that found another run of a table in progress. The other columns are paths of
-- a chart with one bar for each start; a unit is two minutes. Runs of one session that follow each
-- other within 10 s are one start.
WITH start AS (
    SELECT r.job, min(r.started_at) AS began, max(coalesce(r.ended_at, now())) AS ended,
           bool_or(r.state IN ('failed', 'tripped', 'abandoned')) AS bad, bool_or(r.state = 'busy') AS busy
    FROM (SELECT x.*, count(*) FILTER (WHERE x.begins) OVER (PARTITION BY x.job ORDER BY x.id) AS start
          FROM (SELECT y.*, lag(y.pid) OVER w IS DISTINCT FROM y.pid
                            OR y.started_at > lag(y.ended_at) OVER w + interval '10 s' AS begins
                FROM retention.run y
                WHERE y.job IS NOT NULL AND NOT y.dry_run AND y.started_at >= now() - interval '24 hours'
                  AND (y.ended_at >= now() - interval '24 hours' OR y.state = 'running')
                WINDOW w AS (PARTITION BY y.job ORDER BY y.id)) x) r
    GROUP BY r.job, r.start
), placed AS (
    SELECT s.job, s.bad, s.busy AND NOT s.bad AS busy, extract(epoch FROM s.ended - s.began)::double precision AS took,
           floor(720 - extract(epoch FROM now() - s.began) / 120)::integer AS x,
           greatest(ceil(extract(epoch FROM s.ended - s.began) / 120)::integer, 1) AS width
    FROM start s
)
SELECT p.job, count(*) AS starts, percentile_disc(0.5) WITHIN GROUP (ORDER BY p.took) AS median, max(p.took) AS longest,
       count(*) FILTER (WHERE p.bad) AS bad, count(*) FILTER (WHERE p.busy) AS busy,
       string_agg(DISTINCT format('M%s 9h%s', p.x, p.width), '') FILTER (WHERE NOT p.bad AND NOT p.busy) AS well,
       string_agg(DISTINCT format('M%s 9h%s', p.x, p.width + 1), '') FILTER (WHERE p.bad) AS wrong,
       string_agg(DISTINCT format('M%s 1l3 5h-6z', p.x), '') FILTER (WHERE p.busy) AS taken
FROM placed p
GROUP BY p.job

-- The runs of $1 days, a row for each policy, its table and day: days ago, runs, of them those that went wrong, that left rows
-- for the next, that were kept from starting, rows taken; how many rows the day's last run left, NULL where it did not
-- know. A dry run is none.
SELECT r.policy, r.table_name, greatest(now()::date - r.started_at::date, 0), count(*),
       count(*) FILTER (WHERE r.state IN ('failed', 'tripped', 'abandoned')),
       count(*) FILTER (WHERE r.state = 'more'), count(*) FILTER (WHERE r.state IN ('paused', 'busy')),
       sum(r.taken)::bigint,
       (array_agg(CASE WHEN r.due IS NOT NULL AND r.state <> 'failed' THEN greatest(r.due - r.taken, 0)
                       WHEN r.state = 'done' THEN r.contended + r.refused END
                  ORDER BY r.id DESC) FILTER (WHERE r.state NOT IN ('paused', 'busy')))[1]
FROM retention.run r
WHERE r.ended_at >= now()::date - $1::integer + 1 AND r.started_at >= now()::date - $1::integer + 1 AND NOT r.dry_run
GROUP BY 1, 2, 3
ORDER BY 1, 3

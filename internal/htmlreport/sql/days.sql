-- Returns one row for each policy about its runs of 30 days: number of runs, days with runs, rows
-- taken, and the days on which a run failed. The other columns are paths of charts. In the first
-- chart each day is a column, whose height is the square root of the rows taken. A cross marks a
-- failed run, a dash a run that left rows for the next run. The second chart shows how many due
-- rows the last run of each day left, if that is known. Dry runs do not count.
WITH day AS (
    SELECT r.policy, 29 - greatest(now()::date - r.started_at::date, 0) AS number, count(*) AS runs, sum(r.taken) AS taken,
           bool_or(r.state IN ('failed', 'tripped', 'abandoned')) AS bad, bool_or(r.state IN ('more', 'stopped')) AS more,
           (array_agg(CASE WHEN r.due IS NOT NULL AND r.state NOT IN ('failed', 'stopped') THEN greatest(r.due - r.taken, 0)
                           WHEN r.state = 'done' THEN r.contended + r.refused END
                      ORDER BY r.id DESC) FILTER (WHERE r.state NOT IN ('paused', 'busy')))[1] AS remained
    FROM retention.run r
    WHERE r.ended_at >= now()::date - 29 AND r.started_at >= now()::date - 29 AND NOT r.dry_run
    GROUP BY 1, 2
), compared AS (
    SELECT d.*, d.number * 6 AS x, round(3 + 11 * sqrt(d.taken / nullif(max(d.taken) OVER p, 0))) AS height,
           4 + d.number * 352 / 29 AS curve_x, 58 - round(52 * d.remained / nullif(max(d.remained) OVER p, 0)::numeric) AS curve_y
    FROM day d WINDOW p AS (PARTITION BY d.policy)
)
SELECT c.policy, sum(c.runs)::bigint AS runs, count(*) AS days, sum(c.taken)::bigint AS taken,
       string_agg(to_char(now()::date - 29 + c.number, 'FMDD Mon'), ', ' ORDER BY c.number) FILTER (WHERE c.bad) AS bad,
       string_agg(format('M%s 21v-%s', c.x + 3, CASE WHEN c.taken > 0 THEN c.height ELSE 2 END), '' ORDER BY c.number) AS ran,
       string_agg(format('M%s 1l4 4m0-4l-4 4', c.x + 1), '') FILTER (WHERE c.bad) AS wrong,
       string_agg(format('M%s 3h4', c.x + 1), '') FILTER (WHERE c.more AND NOT c.bad) AS rest,
       max(c.remained) AS remained,
       'M' || string_agg(format('%s %s', c.curve_x, c.curve_y), 'L' ORDER BY c.number) FILTER (WHERE c.curve_y IS NOT NULL)
       || format('L%s 58L%s 58z', max(c.curve_x) FILTER (WHERE c.curve_y IS NOT NULL), min(c.curve_x) FILTER (WHERE c.curve_y IS NOT NULL)) AS area
FROM compared c
GROUP BY c.policy

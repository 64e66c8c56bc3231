-- Returns conflicts between runs of the last 24 hours, by tables and policies, with their number
-- and the time of the last one. There are two kinds. A run did not start because another run of the
-- table was in progress. Or runs of two policies that change the same table overlapped, and both
-- took at least one second.
WITH run AS MATERIALIZED (
    SELECT r.policy, r.table_name, r.state, r.started_at, coalesce(r.ended_at, now()) AS ended_at
    FROM retention.run r
    WHERE NOT r.dry_run AND r.started_at >= now() - interval '24 hours'
      AND (r.ended_at >= now() - interval '24 hours' OR r.state = 'running')
      AND (r.state = 'busy' OR coalesce(r.ended_at, now()) - r.started_at >= interval '1 s')
), changed AS MATERIALIZED (
    SELECT DISTINCT p.name, t.name AS table_name
    FROM retention.policy p CROSS JOIN LATERAL unnest(p.table_name || p.changes || p.reach) t (name) WHERE NOT p.report
), pair AS MATERIALIZED (
    SELECT a.name AS one, b.name AS other, string_agg(a.table_name, ', ' ORDER BY a.table_name) AS tables
    FROM changed a JOIN changed b ON b.table_name = a.table_name AND b.name > a.name GROUP BY 1, 2
)
SELECT r.table_name AS tables, r.policy AS one, '' AS other, count(*) AS times, max(r.started_at) AS last FROM run r WHERE r.state = 'busy' GROUP BY 1, 2
UNION ALL
SELECT p.tables, p.one, p.other, count(*), max(greatest(a.started_at, b.started_at))
FROM pair p JOIN run a ON a.policy = p.one AND a.state <> 'busy'
JOIN run b ON b.policy = p.other AND b.state <> 'busy' AND b.started_at < a.ended_at AND a.started_at < b.ended_at
GROUP BY 1, 2, 3
ORDER BY 5 DESC
LIMIT 100

-- progress has a row for each running run: how many rows it has read and taken, how fast, and how
-- long it still needs.
-- due: how many rows were due at the start, NULL if the breaker did not have to count them
-- time_left: an estimate from the last twenty batches. It is NULL before the tenth batch, because
--   the first batches are small and their speed predicts nothing. It is also NULL if due is.
CREATE OR REPLACE VIEW retention.progress AS
SELECT r.id AS run, r.policy, r.pid, r.as_of, r.started_at,
       x.elapsed, r.due, b.scanned, b.taken, b.contended, b.refused, b.batches,
       round((b.taken / greatest(extract(epoch FROM x.elapsed), 0.001))::numeric) AS rows_per_second,
       CASE WHEN b.last >= 10 AND r.due >= b.taken
            THEN (r.due - b.taken)::double precision / nullif(l.taken, 0) * l.took END AS time_left,
       r.waited_s, r.waited_for
FROM retention.run r
CROSS JOIN LATERAL (SELECT pg_catalog.clock_timestamp() - r.started_at AS elapsed) x
CROSS JOIN LATERAL (
    SELECT coalesce(sum(y.scanned), 0)::bigint AS scanned, coalesce(sum(y.taken), 0)::bigint AS taken,
           coalesce(sum(y.contended), 0)::bigint AS contended, coalesce(sum(y.refused), 0)::bigint AS refused,
           count(*) FILTER (WHERE y.mode IN ('range', 'locked')) AS batches, max(y.n) AS last
    FROM retention.batch y WHERE y.run_id = r.id) b
CROSS JOIN LATERAL (
    SELECT sum(y.taken) FILTER (WHERE y.n > b.last - 20 AND y.n > 0) AS taken, max(y.at) - min(y.at) AS took
    FROM retention.batch y WHERE y.run_id = r.id AND y.n >= b.last - 20) l
WHERE r.state = 'running' AND retention._is_running(r.id);

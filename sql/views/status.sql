-- status has one row for each policy and report, with the results of its worst job (see
-- job_status). The worst job is the first in this order:
-- - Its last run failed or was abandoned.
-- - Its last run tripped.
-- - Its last call could not begin.
-- - Its last three runs left due rows and took none.
-- - It left rows that were refused.
-- Among equals it is the job that ran last.
-- holds: how many holds on the policy's table are in force
-- paused: why the policy is paused
-- older_than: the window in force, if a window can be set at run time
CREATE OR REPLACE VIEW retention.status AS
SELECT p.name AS policy, p.table_name,
       (SELECT string_agg(j.name, ', ' ORDER BY j.name) FROM retention.job j
        WHERE split_part(p.name, '@', 1) = ANY (j.policies)) AS jobs,
       r.job AS worst_job, r.scope AS worst_scope, r.last_state, r.last_run, r.last_started_at, r.last_duration,
       r.last_scanned, r.last_taken, round(r.last_scanned::numeric / nullif(r.last_taken, 0), 2) AS scanned_per_taken,
       r.last_kept, r.last_contended, r.last_refused, r.last_cascaded, r.last_success_at, r.failed_in_a_row,
       r.empty_in_a_row, r.missed_run, r.refused_run, r.rows_left,
       coalesce(h.holds, 0) AS holds,
       retention._paused(p.name) AS paused, r.last_message, r.last_tripped_by,
       (SELECT max(d.id) FROM retention.run d WHERE d.policy = p.name AND d.dry_run) AS last_dry_run,
       coalesce(w.older_than, p.window_own) AS older_than,
       coalesce(w.note, (SELECT format('set by %s at %s instead of %s: %s', s.set_by, s.set_at, p.window_own, s.reason)
                         FROM retention.setting s WHERE s.policy = p.name AND s.name = 'window')) AS older_than_note
FROM retention.policy p
JOIN (
    SELECT DISTINCT ON (s.policy) s.policy, s.job, s.scope, s.last_state, s.last_run, s.last_started_at,
           s.last_duration, s.last_scanned, s.last_taken, s.last_kept, s.last_contended, s.last_refused,
           s.last_cascaded, s.last_message, s.last_tripped_by, s.last_success_at, s.failed_in_a_row, s.empty_in_a_row,
               s.missed_run,
           s.refused_run, s.rows_left
    FROM retention.job_status s
    ORDER BY s.policy, s.superseded,
             CASE WHEN s.last_state IN ('failed', 'abandoned') THEN 1 WHEN s.last_state = 'tripped' THEN 2
                  WHEN s.missed_run > 0 THEN 3 WHEN s.empty_in_a_row >= 3 THEN 4 WHEN s.refused_run > 0 THEN 5
                  ELSE 6 END, s.last_run DESC NULLS LAST, s.job
) r ON r.policy = p.name
LEFT JOIN (SELECT x.table_name, count(*) AS holds FROM retention.hold x
           WHERE x.released_at IS NULL AND (x.until IS NULL OR x.until > pg_catalog.clock_timestamp()) GROUP BY 1) h
    ON h.table_name = p.table_name
CROSS JOIN LATERAL retention._window_set(p.*) w
ORDER BY p.name;

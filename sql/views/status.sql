-- One row per policy: how its last run went, when it last succeeded, what stands in its way, and the
-- window in force where one can be set at run time. A dry run is no run, and stands apart; nor is a call that found
-- another one on the table ("busy"): it says nothing of the policy, and would hide a run that tripped or is under way.
CREATE OR REPLACE VIEW retention.status AS
SELECT p.name AS policy, p.table_name,
       (SELECT string_agg(j.name, ', ' ORDER BY j.name) FROM retention.job j
        WHERE split_part(p.name, '@', 1) = ANY (j.policies)) AS jobs,
       CASE WHEN r.state = 'running' AND NOT retention._under_way(r.id) THEN 'abandoned' ELSE r.state END AS last_state,
       r.id AS last_run, r.started_at AS last_started_at, r.ended_at - r.started_at AS last_duration,
       r.scanned AS last_scanned, r.taken AS last_taken,
       round(r.scanned::numeric / nullif(r.taken, 0), 2) AS scanned_per_taken,
       r.kept AS last_kept, r.contended AS last_contended, r.refused AS last_refused, r.cascaded AS last_cascaded,
       t.last_success_at, coalesce(t.failed_in_a_row, 0) AS failed_in_a_row,
       coalesce(h.holds, 0) AS holds,
       retention._paused(p.name) AS paused, r.message AS last_message,
       r.tripped_by AS last_tripped_by,
       (SELECT max(d.id) FROM retention.run d WHERE d.policy = p.name AND d.dry_run) AS last_dry_run,
       coalesce(w.older_than, p.window_own) AS older_than,
       coalesce(w.note, (SELECT format('set by %s at %s instead of %s: %s', s.set_by, s.set_at, p.window_own, s.reason)
                         FROM retention.setting s WHERE s.policy = p.name AND s.name = 'window')) AS older_than_note
FROM retention.policy p
LEFT JOIN retention.total t ON t.policy = p.name
LEFT JOIN (SELECT x.table_name, count(*) AS holds FROM retention.hold x
           WHERE x.released_at IS NULL AND (x.until IS NULL OR x.until > pg_catalog.clock_timestamp()) GROUP BY 1) h
    ON h.table_name = p.table_name
CROSS JOIN LATERAL retention._window_set(p.*) w
LEFT JOIN LATERAL (
    SELECT x.id, x.state, x.pid, x.started_at, x.ended_at, x.scanned, x.taken, x.kept, x.contended,
           x.refused, x.cascaded, x.message, x.tripped_by
    FROM retention.run x WHERE x.policy = p.name AND NOT x.dry_run AND x.state <> 'busy'
    ORDER BY x.id DESC LIMIT 1) r ON true
ORDER BY p.name;

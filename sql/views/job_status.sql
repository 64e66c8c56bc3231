-- job_status has one row for each policy or report and each of its jobs. It has the result of the
-- job's last run, or of a call by hand with the job's scope if that was later. The row with job ''
-- has calls by hand with another scope.
-- A call of run_if_due() that ran no policy changes last_success_at and caught_up_at alone.
-- A dry run does not count. A call that found the table in use ("busy") appears only as missed_run.
-- If a policy exists once for each schema, a schema has a row even if its runs fail before the
-- instance is created.
-- superseded: for job '', the last call succeeded, or each job of the policy has succeeded since
-- mended: the last run failed, tripped or was abandoned, but _mended() finds nothing that stops the
--   next run
CREATE OR REPLACE VIEW retention.job_status AS
SELECT p.name AS policy, p.table_name, j.job, coalesce(j.scope, CASE j.job WHEN '' THEN r.scope END) AS scope,
       CASE WHEN r.state = 'running' AND NOT retention._is_running(r.id) THEN 'abandoned'
           ELSE r.state END AS last_state,
       r.id AS last_run, r.started_at AS last_started_at, r.ended_at - r.started_at AS last_duration,
       r.scanned AS last_scanned, r.taken AS last_taken, r.kept AS last_kept, r.contended AS last_contended,
       r.refused AS last_refused, r.cascaded AS last_cascaded, r.message AS last_message,
       r.tripped_by AS last_tripped_by, greatest(t.last_success_at, k.at) AS last_success_at,
       coalesce(t.failed_in_a_row, 0) AS failed_in_a_row, coalesce(t.empty_in_a_row, 0) AS empty_in_a_row,
       t.missed_run, t.refused_run, t.rows_left,
       greatest(t.caught_up_at, k.at) AS caught_up_at, j.job = '' AND s.jobs > 0 AND coalesce(
           r.id <= s.success_run OR r.state IN ('done', 'more', 'paused'), true) AS superseded,
       CASE WHEN r.state IN ('failed', 'tripped', 'abandoned') THEN retention._mended(r.id) ELSE false END AS mended
FROM (
    SELECT o.name, o.table_name, o.report FROM retention.policy o
    UNION ALL  -- instances that could not be created
    SELECT DISTINCT y.policy, format('%s%s', n.nspname, substr(e.registers ->> 'table_name', length(e.placeholder) + 1))
        COLLATE "default", false
    FROM retention.total y
    JOIN retention.each e ON e.name = split_part(y.policy, '@', 1)
    JOIN pg_namespace n ON y.policy = concat(e.name, '@', n.nspname)
    JOIN pg_class c ON c.relnamespace = n.oid
        AND c.relname = substr(e.registers ->> 'table_name', length(e.placeholder) + 2)::name
    WHERE NOT EXISTS (SELECT FROM retention.policy o WHERE o.name = y.policy)) p
CROSS JOIN LATERAL (
    SELECT array_agg(x.job) AS jobs, array_agg(CASE WHEN NOT p.report THEN x.scope END) AS scopes
    FROM retention._job_scopes(p.name) x (job, scope)) i
CROSS JOIN LATERAL (
    SELECT x.job, x.scope FROM unnest(i.jobs, i.scopes) x (job, scope)
    UNION ALL SELECT '' AS job, NULL::jsonb AS scope) j
LEFT JOIN retention.total t
    ON (t.policy, t.job, t.scope) = (p.name, j.job, retention._scope_text(j.scope))
LEFT JOIN retention.tick k ON k.job = j.job AND j.scope IS NULL AND p.name = ANY (k.policies)
LEFT JOIN LATERAL (
    SELECT x.id
    FROM (SELECT y.id, y.policy, y.job, y.scope FROM retention.run y
          -- OFFSET 0 makes the planner use the partial index on running runs.
          WHERE y.state = 'running' AND NOT y.dry_run OFFSET 0) x
    WHERE x.policy = p.name AND CASE WHEN x.job IS NOT NULL THEN x.job = j.job
        WHEN j.job <> '' THEN retention._scope_text(x.scope) = retention._scope_text(j.scope)
        ELSE NOT EXISTS (SELECT FROM unnest(i.scopes) o (scope)
                         WHERE retention._scope_text(o.scope) = retention._scope_text(x.scope)) END
    ORDER BY x.id DESC LIMIT 1) u ON true
LEFT JOIN LATERAL (  -- OFFSET 0: one index lookup instead of a scan of the run log
    SELECT x.id, x.state, x.started_at, x.ended_at, x.scope, x.scanned, x.taken, x.kept, x.contended, x.refused,
           x.cascaded, x.message, x.tripped_by
    FROM retention.run x WHERE x.id = greatest(u.id, t.last_run) OFFSET 0) r ON true
CROSS JOIN LATERAL (
    SELECT count(*) AS jobs, min(coalesce(o.success_run, 0)) AS success_run
    FROM unnest(i.jobs, i.scopes) x (job, scope)
    LEFT JOIN retention.total o ON (o.policy, o.job, o.scope) = (p.name, x.job, retention._scope_text(x.scope))
    WHERE j.job = '') s
WHERE j.job <> '' OR r.id IS NOT NULL OR t.runs > 0 OR i.jobs IS NULL;

-- _record adds an ended run to the counters of its policy and job, and writes the result of the
-- job.
-- A call by hand writes the result of each job that has the same scope. If it ended "done", it also
-- writes the result of each job whose scope is a part of its scope. If it matches no job, it writes
-- the row with job ''.
-- If a call by hand succeeded but could not see all rows of a job, it does not change the job's
-- result. A "busy" call changes no counter, because another run has the rows.
-- p_whole: true if the run read all rows of its scope
CREATE OR REPLACE FUNCTION retention._record(p_run retention.run, p_whole boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
    v_report CONSTANT boolean := EXISTS (SELECT FROM retention.policy p WHERE p.name = p_run.policy AND p.report);
    v_scope CONSTANT text := CASE WHEN v_report THEN '' ELSE retention._scope_text(p_run.scope) END;
    v_bad CONSTANT integer := (p_run.state IN ('failed', 'tripped', 'abandoned'))::integer;
    v_empty CONSTANT integer := (p_run.state = 'more' AND p_run.taken = 0)::integer;
    v_well CONSTANT boolean := p_run.state = 'done' OR p_run.state = 'more' AND p_run.taken > 0;
    v_missed CONSTANT boolean := p_run.state = 'busy' OR v_empty = 1 AND p_run.sqlstate = '55P03';
    v_job record;
BEGIN
    IF p_run.state <> 'busy' THEN
        INSERT INTO retention.total AS t
            (policy, job, scope, runs, failed, scanned, taken, refused, related, cascaded)
        VALUES (p_run.policy, coalesce(p_run.job, ''), CASE WHEN p_run.job IS NULL THEN '' ELSE v_scope END, 1, v_bad,
                p_run.scanned, p_run.taken, p_run.refused, p_run.related, p_run.cascaded)
        ON CONFLICT (policy, job, scope) DO UPDATE SET
            runs = t.runs + 1, failed = t.failed + excluded.failed, scanned = t.scanned + excluded.scanned,
            taken = t.taken + excluded.taken, refused = t.refused + excluded.refused,
            related = retention._add_counts(t.related, excluded.related),
            cascaded = retention._add_counts(t.cascaded, excluded.cascaded);
    END IF;
    FOR v_job IN
        WITH job AS MATERIALIZED (
            SELECT j.job AS name, CASE WHEN NOT v_report THEN j.scope END AS scope
            FROM retention._job_scopes(p_run.policy) j WHERE p_run.job IS NULL
        ), meant AS MATERIALIZED (
            SELECT p_run.job AS name, v_scope AS scope, retention._success_at(p_run, p_run.scope) AS success_at
            WHERE p_run.job IS NOT NULL
            UNION ALL SELECT j.name, s.scope, s.success_at
            FROM job j CROSS JOIN LATERAL (
                SELECT x.scope, retention._success_at(p_run, CASE x.scope WHEN v_scope THEN p_run.scope
                    ELSE j.scope END)
                           AS success_at
                FROM retention._scope_text(j.scope) x (scope)) s
            WHERE p_run.state <> 'busy' AND CASE WHEN v_well THEN s.success_at IS NOT NULL
                AND (p_whole OR s.scope = v_scope)
                ELSE s.scope = v_scope END
        )
        SELECT m.name, m.scope, CASE WHEN v_well THEN m.success_at END AS success_at FROM meant m
        UNION ALL SELECT '', '', CASE WHEN v_well THEN retention._success_at(p_run, NULL) END
        WHERE NOT EXISTS (SELECT FROM meant) AND (p_run.state <> 'busy' OR NOT EXISTS (SELECT FROM job)) ORDER BY 1, 2
    LOOP
        INSERT INTO retention.total AS t (policy, job, scope, missed_run)
        VALUES (p_run.policy, v_job.name, v_job.scope, CASE WHEN v_missed THEN p_run.id END)
        ON CONFLICT (policy, job, scope) DO UPDATE SET missed_run = excluded.missed_run
        WHERE t.missed_run IS DISTINCT FROM excluded.missed_run;
        CONTINUE WHEN p_run.state = 'busy';
        UPDATE retention.total t
        SET last_run = p_run.id, success_run = CASE WHEN v_job.success_at IS NOT NULL THEN p_run.id
            ELSE t.success_run END,
            refused_run = CASE WHEN p_run.refused > 0 THEN p_run.id WHEN NOT p_whole THEN t.refused_run END,
            failed_in_a_row = CASE WHEN v_job.success_at IS NOT NULL THEN 0 ELSE t.failed_in_a_row + v_bad END,
            empty_in_a_row = CASE WHEN v_well THEN 0 ELSE t.empty_in_a_row + v_empty END,
            last_success_at = greatest(t.last_success_at, v_job.success_at),
            caught_up_at = greatest(t.caught_up_at,
                CASE WHEN p_whole AND p_run.contended + p_run.refused = 0 THEN v_job.success_at END),
            rows_left = CASE WHEN p_whole THEN p_run.contended + p_run.refused END
        WHERE (t.policy, t.job, t.scope) = (p_run.policy, v_job.name, v_job.scope);
    END LOOP;
END $function$;

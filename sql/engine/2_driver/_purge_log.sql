-- _purge_log deletes rows that are older than their windows in retention.install. One call deletes
-- at most 100 runs with their batches, and 1000 each of undo rows, events, claims and reports. It
-- keeps the newest run of each policy, the newest row of each report, and the runs to which the
-- totals refer.
-- It returns true if there may be more to purge. It returns NULL if another run has purged in this
-- hour, or runs are paused.
CREATE OR REPLACE FUNCTION retention._purge_log(p_runs bigint[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $function$
DECLARE
    v_hour CONSTANT timestamptz := date_trunc('hour', clock_timestamp());
    v_most CONSTANT integer := 1000;
    v_run retention.run; v_install retention.install; v_undo tid[]; v_runs bigint[]; v_log record; v_rows bigint;
    v_purged bigint;
BEGIN
    SELECT * INTO v_run FROM retention.run r WHERE r.id = p_runs[cardinality(p_runs)] AND NOT r.dry_run;
    IF NOT FOUND OR (SELECT r.id FROM retention.run r WHERE r.ended_at >= v_hour AND r.id < p_runs[1] AND NOT r.dry_run
                     ORDER BY r.ended_at LIMIT 1) IS NOT NULL
       OR coalesce(retention._copy(), retention._half_upgraded(), retention._paused(NULL)) IS NOT NULL THEN
        RETURN NULL;
    END IF;
    SELECT * INTO v_install FROM retention.install;
    v_undo := ARRAY(
        SELECT x.ctid FROM retention.run r
        CROSS JOIN LATERAL (SELECT u.ctid FROM retention.undo u
            WHERE u.run_id = r.id LIMIT v_most FOR UPDATE SKIP LOCKED) x
        WHERE r.ended_at < v_run.as_of - v_install.log_window ORDER BY r.ended_at LIMIT v_most);
    v_runs := ARRAY(
        SELECT r.id FROM retention.run r
        WHERE r.ended_at < v_run.as_of - v_install.log_window
          -- With ">=", only the index on (policy, id) has this order. With "=", the planner may
          -- choose the index on id and read the whole log.
          AND r.id IS DISTINCT FROM (SELECT n.id FROM retention.run n WHERE n.policy >= r.policy AND NOT n.dry_run
                                     ORDER BY n.policy, n.id DESC LIMIT 1)
          AND NOT EXISTS (SELECT FROM retention.total t WHERE t.policy = r.policy
                          AND r.id IN (t.last_run, t.success_run, t.missed_run, t.refused_run))
          AND NOT EXISTS (SELECT FROM retention.undo u WHERE u.run_id = r.id)
        ORDER BY r.ended_at LIMIT v_most / 10 FOR UPDATE SKIP LOCKED);
    DELETE FROM retention.undo u WHERE u.ctid = ANY (v_undo);
    DELETE FROM retention.restored s WHERE s.run_id = ANY (v_runs);
    DELETE FROM retention.batch b WHERE b.run_id = ANY (v_runs);
    DELETE FROM retention.run r WHERE r.id = ANY (v_runs);
    v_purged := cardinality(v_undo) + cardinality(v_runs);
    FOR v_log IN VALUES ('event', v_install.event_window, ''), ('claim', v_install.claim_window, ''),
        ('report', v_install.report_window, 'AND o.id <> (SELECT n.id FROM retention.report n WHERE n.name >= o.name
                                                          ORDER BY n.name, n.id DESC LIMIT 1)')
    LOOP
        EXECUTE format('DELETE FROM retention.%1$I x WHERE x.id = ANY (ARRAY(SELECT o.id FROM retention.%1$I o
            WHERE o.at < $1 %2$s ORDER BY o.at LIMIT $2 FOR UPDATE SKIP LOCKED))', v_log.column1, v_log.column3)
        USING v_run.as_of - v_log.column2, v_most;
        GET DIAGNOSTICS v_rows = ROW_COUNT; v_purged := v_purged + v_rows;
    END LOOP;
    RETURN v_purged > 0 AND clock_timestamp() < v_run.ended_at + interval '1 minute';
EXCEPTION WHEN lock_not_available THEN RETURN false;  -- the next call in an hour tries again
END $function$;

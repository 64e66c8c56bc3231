-- preview returns what a run would find at as_of. as_of may be in the future.
-- max_rows: how many rows are counted at most, NULL for all
-- due: how many rows are due. NULL if the reason that stops a run also prevents counting.
-- kept: how many rows are kept, by what keeps them. Empty with max_rows.
-- oldest, newest: the oldest and newest clock of the due rows
-- breaker_limit: the limit of the breaker. It is exact if the run would trip.
-- would_trip: true if the breaker would stop the run
-- stopped_by: why a run would not start
-- one_run: how many of the due rows one run takes
-- bytes, run_time: estimates of the size of the due rows and the time of one run
-- based_on: from how many runs run_time is estimated
-- capped: true if counting stopped at max_rows
-- Raises P0002 for an unknown policy. Raises 22023 for a report, and for a window or scope that a
-- run would refuse. The runner, operators and viewers may call it. It locks tables in ACCESS SHARE
-- mode only.
CREATE OR REPLACE FUNCTION retention.preview(
    policy text, as_of timestamptz DEFAULT NULL, older_than interval DEFAULT NULL, scope jsonb DEFAULT NULL,
    max_rows bigint DEFAULT NULL, OUT due bigint, OUT kept jsonb, OUT oldest text, OUT newest text,
    OUT breaker_limit bigint, OUT would_trip boolean, OUT stopped_by text, OUT kept_null jsonb, OUT one_run bigint,
    OUT bytes bigint, OUT run_time interval, OUT based_on integer, OUT capped boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $function$
DECLARE
    v_policy CONSTANT retention.policy := retention._get_policy(preview.policy, true);
    v_request retention.request; v_count retention.due_count; v_pace record;
BEGIN
    DISCARD PLANS;  -- as a run does
    IF v_policy.report THEN
        RAISE invalid_parameter_value USING MESSAGE = format('"%s" is a report, and takes no rows', v_policy.name),
                  HINT = format('SELECT * FROM retention.%I(now()).', v_policy.name || '_report');
    END IF;
    v_request.as_of := preview.as_of; v_request.older_than := preview.older_than; v_request.scope := preview.scope;
    v_request := retention._checked(v_policy, v_request, clock_timestamp());
    stopped_by := (SELECT o.message FROM retention._obstacle(v_policy, v_request.as_of) o);
    BEGIN
        stopped_by := coalesce(stopped_by, retention._clock_fault(v_policy.name, v_request.as_of));
        v_count := retention._count(v_policy.name, v_request.as_of, max_rows, v_request.scope,
            v_request.older_than);
        breaker_limit := retention._breaker_limit(v_policy, least(v_count.due, v_policy.budget_rows));
    EXCEPTION WHEN OTHERS OR assert_failure THEN  -- what stops a run may also prevent counting
        IF stopped_by IS NULL OR SQLSTATE = '55P03' THEN RAISE; END IF;
    END;
    due := v_count.due; kept := v_count.kept; kept_null := v_count.kept_null; oldest := v_count.oldest;
    newest := v_count.newest;
    would_trip := coalesce(least(due, v_policy.budget_rows) > breaker_limit, false);
    stopped_by := coalesce(retention._copy(), retention._half_upgraded(), retention._paused(v_policy.name), stopped_by);
    one_run := least(due, v_policy.budget_rows); capped := v_count.capped;
    IF NOT v_policy.partitions THEN
        bytes := (due * retention._row_bytes(retention._table(v_policy.table_name)))::bigint;
    END IF;
    -- The median speed of up to five runs. These are the newest among the last thousand that ended
    -- "done" or "more" and took at least 1000 rows.
    SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY r.taken / r.seconds) AS rows_per_second, count(*) AS runs
        INTO v_pace
    FROM (SELECT r.taken, greatest(extract(epoch FROM r.ended_at - r.started_at), 0.001)::double precision AS seconds
          FROM (SELECT * FROM retention.run x WHERE x.policy = v_policy.name ORDER BY x.id DESC LIMIT 1000) r
          WHERE r.state IN ('done', 'more') AND NOT r.dry_run AND r.taken >= 1000 ORDER BY r.id DESC LIMIT 5) r;
    based_on := v_pace.runs; run_time := make_interval(secs => ceil(one_run / v_pace.rows_per_second * 10) / 10);
END $function$;

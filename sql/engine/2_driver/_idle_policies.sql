-- _idle_policies checks, for the next hundred instances of a call at once, whether any row is due.
-- In the result, the instances without due rows come next. Each has a run that has already ended,
-- as it would end alone.
-- p_policies: the policies of the call, reordered
-- p_runs: the runs by place. NULL for an instance that runs alone, because rows are due, or because
--   this function cannot determine it (settings, groups).
CREATE OR REPLACE FUNCTION retention._idle_policies(
    p_place integer, p_request retention.request, INOUT p_policies text[], INOUT p_runs bigint[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' SET jit = off
SET gin_fuzzy_search_limit = 0 AS $function$
DECLARE
    v_started CONSTANT timestamptz := clock_timestamp(); v_request retention.request := p_request;
    v_each CONSTANT text := split_part(p_policies[p_place], '@', 1);
    v_asked text[]; v_policies retention.policy[]; v_idle text[]; v_runs bigint[]; v_context text;
BEGIN
    IF p_place <= cardinality(p_runs) THEN RETURN; END IF;
    v_request.policy := p_policies[p_place];
    v_request := retention._from_run_job(v_request);
    v_request.as_of := coalesce(p_request.as_of, v_started);
    v_asked := ARRAY(SELECT x FROM unnest(p_policies[p_place:p_place + 99]) x WHERE starts_with(x, v_each || '@'));
    p_runs := p_runs || array_fill(NULL::bigint, ARRAY[p_place - 1 + cardinality(v_asked) - cardinality(p_runs)]);
    IF cardinality(v_asked) < 2 THEN RETURN; END IF;
    SELECT array_agg(p ORDER BY p.name) INTO v_policies
    FROM retention.each e JOIN retention.policy p ON p.name = ANY (v_asked) AND p.hash = e.registers ->> 'hash'
    WHERE num_nonnulls(p_request.scope, p_request.older_than, retention._copy(), retention._half_upgraded()) = 0
      AND e.name = v_each AND v_request.as_of <= v_started AND NOT p.prepares
      AND EXISTS (SELECT FROM retention._scopes(e.name) s (scope) WHERE s.scope IS NULL)
      AND NOT p.passes @? '$[*] ? (exists (@.groups) || exists (@.whole))'
      AND NOT EXISTS (SELECT FROM retention.setting s WHERE s.policy IN (p.name, e.name, '*'))
      AND NOT EXISTS (SELECT FROM retention.run r WHERE r.table_name = p.table_name AND r.state = 'running')
      AND retention._blocking_hold(p.name, v_request.as_of) IS NULL
      AND retention._clock_fault(p.name, v_request.as_of) IS NULL;
    IF v_policies IS NULL THEN RETURN; END IF;
    v_idle := ARRAY(SELECT l #>> '{}' FROM retention._query_as_worker(
        'SELECT to_jsonb(i) FROM retention._idle_policies_as_worker($1 -> 1, ($1 ->> 0)::timestamptz) i',
        jsonb_build_array(v_request.as_of, ARRAY(
            SELECT p.name FROM unnest(v_policies) p
            EXCEPT SELECT u.policy FROM retention._changed_dependencies(v_policies, false) u)), v_policies[1].name) l);
    v_policies := ARRAY(SELECT p FROM unnest(v_policies) p WHERE p.name = ANY (v_idle));
    v_runs := ARRAY(SELECT retention._new_run(p, v_request, v_started) FROM unnest(v_policies) p);
    PERFORM retention._finish(r, 'done') FROM unnest(v_runs) r;
    p_policies := p_policies[:p_place - 1] || ARRAY(SELECT p.name FROM unnest(v_policies) p) || ARRAY(
        SELECT x.name FROM unnest(p_policies[p_place:]) WITH ORDINALITY x (name, n)
        WHERE x.name <> ALL (v_idle) ORDER BY x.n);
    p_runs := p_runs[:p_place - 1] || v_runs || p_runs[p_place + cardinality(v_runs):];
EXCEPTION WHEN query_canceled THEN
    GET STACKED DIAGNOSTICS v_context = PG_EXCEPTION_CONTEXT;
    IF retention._refused_by(SQLSTATE, v_context, SQLERRM) IN ('row', 'server') THEN RETURN; END IF;  -- no cancel
    p_runs[p_place] := (retention._fail(
        retention._new_run(NULL, v_request, v_started), SQLSTATE, SQLERRM)).run_id;
WHEN OTHERS OR assert_failure THEN NULL;  -- each instance then runs alone and reports the error
END $function$;

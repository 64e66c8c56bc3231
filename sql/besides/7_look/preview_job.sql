-- What the policies of a job would do one after the other: they run as the job runs them, and all is undone, but for
-- numbers from sequences. Raises 25001 in a transaction that has written. Locks what the batches lock, until it
-- returns: other runs on these tables end "busy", and sessions that change the same rows wait.
CREATE OR REPLACE FUNCTION retention.preview_job(
    job text, as_of timestamptz DEFAULT NULL, OUT policy text, OUT state text, OUT taken bigint, OUT kept jsonb,
    OUT contended bigint, OUT refused bigint, OUT related jsonb, OUT cascaded jsonb, OUT message text) RETURNS SETOF record
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET row_security = off
SET gin_fuzzy_search_limit = 0 AS $function$
DECLARE
    v_job CONSTANT record := retention._job(preview_job.job, preview_job.as_of);
    v_policies text[]; v_step retention.step; v_ended retention.run; v_runs retention.run[] := '{}'; v_done boolean;
BEGIN
    PERFORM retention._refuse_unfit();
    BEGIN
        v_policies := retention._expanded(v_job.policies);
        FOR v_place IN 1 .. cardinality(v_policies) LOOP
            v_step := retention._begin((v_policies[v_place], v_job.as_of, NULL, preview_job.job, NULL, v_job.scope,
                false, NULL)::retention.request);
            UPDATE retention.run r SET dry_run = true WHERE r.id = v_step.run_id;  -- keeps no counter locked
            BEGIN
                WHILE v_step.going LOOP v_step := retention._run_step(v_step.run_id); END LOOP;
            EXCEPTION WHEN OTHERS OR assert_failure THEN
                v_step := retention._fail(v_step.run_id, SQLSTATE, SQLERRM);
            END;
            SELECT * INTO v_ended FROM retention.run r WHERE r.id = v_step.run_id;
            v_runs := v_runs || v_ended;
            EXIT WHEN (retention._outcome(v_ended.id, v_policies, v_place, v_job.is_strict)).halt;
        END LOOP;
        v_done := true;
        RAISE SQLSTATE 'PR009';
    EXCEPTION WHEN OTHERS OR assert_failure OR query_canceled THEN
        PERFORM retention._forget();
        IF v_done IS NULL OR SQLSTATE OPERATOR(pg_catalog.<>) 'PR009' THEN RAISE; END IF;
    END;
    RETURN QUERY SELECT r.policy, r.state, r.taken, r.kept, r.contended, r.refused, r.related, r.cascaded, r.message FROM unnest(v_runs) r;
END $function$;

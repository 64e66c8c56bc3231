-- _resume_point returns where a run of a job starts, as [pass, position]. NULL means the beginning.
-- A run starts where the last run of the policy and scope ended if that run ended "more", and
-- skipped rows or had itself started in the middle. Otherwise kept rows could use up the budget of
-- each run.
-- Any start is correct, because a run that reaches the end continues from the beginning.
-- took_rows: the last run of the policy and scope took rows
CREATE OR REPLACE FUNCTION retention._resume_point(
    p_run retention.run, p_policy retention.policy, OUT "position" jsonb, OUT took_rows boolean)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_sort = off SET jit = off AS $function$
DECLARE v_last retention.run;
BEGIN
    -- These policies have no resume point. A position in groups is valid only within one run. A
    -- watermark must move in order. Passes with a rank must run before the others.
    IF p_run.job IS NULL OR p_policy.partitions OR p_policy.passes @? '$[*] ? (exists(@.groups) || exists(@.whole))'
       OR jsonb_array_length(p_policy.passes) > 1 AND p_policy.passes @? '$[*].ranked' THEN
        RETURN;
    END IF;
    SELECT * INTO v_last FROM retention.run r
    WHERE r.policy = p_run.policy AND r.id < p_run.id AND r.state IN ('done', 'more') AND NOT r.dry_run
      AND r.scope IS NOT DISTINCT FROM p_run.scope
    ORDER BY r.id DESC LIMIT 1;
    took_rows := v_last.taken > 0;
    IF v_last.state = 'more' AND v_last.policy_hash = p_run.policy_hash
        AND (v_last.start_position IS NOT NULL OR v_last.scanned > v_last.taken) THEN
        "position" := v_last.end_position;
    END IF;
END $function$;

-- _resume_point returns where a run of a job starts, as [pass, position]; NULL for the beginning.
-- If the last run of this policy and scope ended "more" and skipped rows, or had itself started in
-- the middle, this run goes on behind it. Otherwise kept rows could use up the budget of each run.
-- Any start is correct, since a run goes on from the beginning when it reaches the end.
CREATE OR REPLACE FUNCTION retention._resume_point(p_run retention.run, p_policy retention.policy) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_sort = off SET jit = off AS $function$
DECLARE v_last retention.run;
BEGIN
    -- Positions of groups are valid in one run only. A watermark must move in order. Passes with a
    -- rank run before others.
    IF p_run.job IS NULL OR p_policy.partitions OR p_policy.passes @? '$[*] ? (exists(@.groups) || exists(@.whole))'
       OR jsonb_array_length(p_policy.passes) > 1 AND p_policy.passes @? '$[*].ranked' THEN
        RETURN NULL;
    END IF;
    SELECT * INTO v_last FROM retention.run r
    WHERE r.policy = p_run.policy AND r.id < p_run.id AND r.state IN ('done', 'more') AND NOT r.dry_run
      AND r.scope IS NOT DISTINCT FROM p_run.scope
    ORDER BY r.id DESC LIMIT 1;
    RETURN CASE WHEN v_last.state = 'more' AND v_last.policy_hash = p_run.policy_hash
                 AND (v_last.start_position IS NOT NULL OR v_last.scanned > v_last.taken) THEN v_last.end_position END;
END $function$;

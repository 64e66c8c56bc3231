-- _resume_point returns where a run of a job starts, as [pass, position]; NULL is the beginning. It goes on behind the
-- last run of the same policy and scope if that one ended "more" and has skipped rows, or has gone on so itself: else
-- rows that are kept could use up each run's budget. Every start is right: a run wraps around at the end.
CREATE OR REPLACE FUNCTION retention._resume_point(p_run retention.run, p_policy retention.policy) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET enable_sort = off SET jit = off AS $function$
DECLARE v_last retention.run;
BEGIN
    -- A position of groups is one of the run's own; a watermark moves in order; ranks come before other passes.
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

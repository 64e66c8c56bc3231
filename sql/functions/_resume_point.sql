-- Where a run goes on instead of the beginning: the run whose end it starts from, or a row of
-- NULLs. Rows before that point were read by an earlier run and are read again only when the time
-- that this costs is under 1 % of the time since they were last read, or after a day.
CREATE OR REPLACE FUNCTION retention._resume_point(p_run bigint) RETURNS retention.run
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
    v_run retention.run;
    v_last retention.run;
    v_full retention.run;
BEGIN
    SELECT * INTO STRICT v_run FROM retention.run r WHERE r.id = p_run;
    SELECT * INTO v_last FROM retention.run r
    WHERE r.policy = v_run.policy AND r.id < p_run AND r.state IN ('done', 'more')
    ORDER BY r.id DESC LIMIT 1;
    SELECT * INTO v_full FROM retention.run r
    WHERE r.policy = v_run.policy AND r.id < p_run AND r.state IN ('done', 'more') AND r.from_start
    ORDER BY r.id DESC LIMIT 1;
    IF v_last.end_position IS NULL OR v_last.policy_hash <> v_run.policy_hash
       OR v_full.policy_hash IS DISTINCT FROM v_run.policy_hash OR v_last.as_of > v_run.as_of
       OR (SELECT jsonb_array_length(p.passes) > 1 OR p.passes -> 0 ->> 'groups' IS NOT NULL
           FROM retention.policy p WHERE p.name = v_run.policy)
       OR v_run.started_at - v_full.started_at
          >= least(v_full.wasted_ms * 100 * interval '1 ms', interval '1 day') THEN
        RETURN NULL;
    END IF;
    RETURN v_last;
END
$function$;
REVOKE ALL ON FUNCTION retention._resume_point(bigint) FROM PUBLIC;

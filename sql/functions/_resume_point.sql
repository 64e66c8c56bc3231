-- The run at whose end a run goes on, or NULLs: then it begins at the beginning. What an earlier run has read is read
-- again unless the table has 100000 rows, that costs 50 ms, and more than a tenth of the time since; but once a day.
-- Only runs of the same scope and window count.
CREATE OR REPLACE FUNCTION retention._resume_point(p_run bigint) RETURNS retention.run
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_run retention.run; v_last retention.run; v_full retention.run; v_ms double precision;
BEGIN
    SELECT * INTO STRICT v_run FROM retention.run r WHERE r.id = p_run;
    SELECT * INTO v_last FROM retention.run r
    WHERE r.policy = v_run.policy AND r.id < p_run AND r.state IN ('done', 'more') AND NOT r.dry_run
      AND r.scope IS NOT DISTINCT FROM v_run.scope AND r.older_than::text IS NOT DISTINCT FROM v_run.older_than::text
    ORDER BY r.id DESC LIMIT 1;
    SELECT * INTO v_full FROM retention.run r
    WHERE r.policy = v_run.policy AND r.id < p_run AND r.state IN ('done', 'more') AND r.from_start AND NOT r.dry_run
      AND r.scope IS NOT DISTINCT FROM v_run.scope AND r.older_than::text IS NOT DISTINCT FROM v_run.older_than::text
    ORDER BY r.id DESC LIMIT 1;
    -- What they did for nothing, and 70 ns for every row that went: measured, with a snapshot open.
    SELECT v_full.wasted_ms + 0.00007 * sum(r.taken) INTO v_ms FROM retention.run r
    WHERE r.policy = v_run.policy AND r.id >= v_full.id AND r.id < p_run;
    IF v_last.end_position IS NULL OR v_last.policy_hash <> v_run.policy_hash
       OR v_full.policy_hash IS DISTINCT FROM v_run.policy_hash OR v_last.as_of > v_run.as_of
       OR v_last.filenode IS DISTINCT FROM pg_relation_filenode(retention._table(v_run.table_name))  -- rewritten since
       OR (SELECT jsonb_array_length(p.passes) > 1 OR p.passes -> 0 ->> 'groups' IS NOT NULL
           FROM retention.policy p WHERE p.name = v_run.policy)
       OR v_run.started_at - v_full.ended_at
          >= least(v_ms * 10 * interval '1 ms', interval '1 day')
       OR v_ms < 50 OR coalesce(retention._estimated_rows(retention._table(v_run.table_name)), 0) < 100000 THEN
        RETURN NULL;
    END IF;
    RETURN v_last;
END $function$;

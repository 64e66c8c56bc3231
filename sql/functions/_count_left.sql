-- Counts for metrics what an ended run left of what was due at its instant, up to 10,000 rows, where its end says that
-- there is something. NULL: nobody knows, since the run failed, or the rows cannot be counted now.
CREATE OR REPLACE FUNCTION retention._count_left(p_run bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $function$
DECLARE v_run retention.run; v_left bigint;
BEGIN
    SELECT * INTO v_run FROM retention.run r WHERE r.id = p_run AND r.state <> 'busy' AND NOT r.dry_run;
    IF v_run.state = 'done' THEN
        v_left := v_run.contended + v_run.refused;
    ELSIF v_run.state IN ('more', 'tripped', 'paused') THEN
        BEGIN
            v_left := (retention._count(v_run.policy, v_run.as_of, 10000, true, v_run.scope, v_run.older_than)).due;
        EXCEPTION WHEN OTHERS THEN NULL;
        END;
    END IF;
    UPDATE retention.total t SET rows_left = v_left
    WHERE t.policy = v_run.policy AND t.rows_left IS DISTINCT FROM v_left;
END $function$;

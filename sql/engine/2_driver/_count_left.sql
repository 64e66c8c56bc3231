-- _count_left counts the due rows that a run left, for metrics. It counts up to 10,000. The driver
-- calls it for runs that did not end "done". It stores NULL if the rows cannot be counted.
CREATE OR REPLACE FUNCTION retention._count_left(p_run bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $function$
DECLARE v_run CONSTANT retention.run := (SELECT r FROM retention.run r WHERE r.id = p_run);
BEGIN
    UPDATE retention.total t
    SET rows_left = retention._due(v_run.policy, v_run.as_of, 10000, true, v_run.scope, v_run.older_than)
    WHERE t.policy = v_run.policy AND t.last_run = p_run;
EXCEPTION WHEN OTHERS OR assert_failure THEN NULL;
END $function$;

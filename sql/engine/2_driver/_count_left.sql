-- _count_left counts the due rows that a run left, for metrics. It stops at 10,000 and after a
-- second, so there can be more. The driver calls it for runs that did not end "done". It stores
-- NULL if the rows cannot be counted.
CREATE OR REPLACE FUNCTION retention._count_left(p_run bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET intervalstyle = 'postgres'
SET lock_timeout = '100ms' AS $function$
DECLARE v_run CONSTANT retention.run := (SELECT r FROM retention.run r WHERE r.id = p_run);
BEGIN
    UPDATE retention.total t
    SET rows_left = (SELECT l::bigint FROM retention._query_as_worker(
        'SELECT to_jsonb(retention._left_as_worker($1 ->> 0, ($1 ->> 1)::timestamptz, nullif($1 -> 2, ''null''),
             ($1 ->> 3)::interval, 10000, ($1 ->> 4)::timestamptz))',
        jsonb_build_array(v_run.policy, v_run.as_of, v_run.scope, v_run.older_than,
            clock_timestamp() + interval '1 s'), v_run.policy) l)
    WHERE t.policy = v_run.policy AND t.last_run = p_run;
EXCEPTION WHEN OTHERS OR assert_failure THEN NULL;
END $function$;

-- What a batch function needs to know of its run; refuses to serve anybody but the driver.
CREATE OR REPLACE FUNCTION retention._input(p_run bigint) RETURNS retention.batch_input
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $function$
    SELECT r.as_of, r.id, r.reason, b.next_position,
           least(b.next_rows, p.budget_rows - b.total_taken)::integer, b.next_skip
    FROM retention._running(p_run) r
    JOIN retention.policy p ON p.name = r.policy
    CROSS JOIN LATERAL (SELECT * FROM retention.batch x WHERE x.run_id = p_run
                        ORDER BY x.n DESC LIMIT 1) b
$function$;
REVOKE ALL ON FUNCTION retention._input(bigint) FROM PUBLIC;

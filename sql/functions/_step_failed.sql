-- What becomes of a run whose batch was rolled back by an error that is no row's, or that was cancelled: it ends
-- "failed".
CREATE OR REPLACE FUNCTION retention._step_failed(p_run bigint, p_sqlstate text, p_message text) RETURNS retention.step
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT retention._finish((retention._running(p_run)).id, 'failed', p_sqlstate, p_message)
$function$;

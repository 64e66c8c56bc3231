-- Ends a run of this session that was cancelled while it waited between two batches.
CREATE OR REPLACE FUNCTION retention._interrupted(p_run bigint) RETURNS retention.step
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT retention._finish((retention._running(p_run)).id, 'failed', '57014', 'cancelled between two batches')
$function$;

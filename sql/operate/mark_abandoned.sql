-- mark_abandoned ends runs that are "running" only in the log, and returns how many it ended. A run
-- of this session whose CALL was cancelled while a batch committed ends "failed". A run whose
-- session is gone ends "abandoned". Operators and the runner may call it.
CREATE OR REPLACE FUNCTION retention.mark_abandoned() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT count(CASE WHEN r.pid = pg_backend_pid()
        THEN retention._finish(r.id, 'failed', '57014', 'cancelled while a batch committed')
        WHEN NOT retention._is_running(r.id)
        THEN retention._finish(r.id, 'abandoned', NULL, 'the call of this run is gone') END)
    FROM retention.run r WHERE r.state = 'running'
$function$;

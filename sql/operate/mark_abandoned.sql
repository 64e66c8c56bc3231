-- Ends what is "running" in the log alone: what a cancelled CALL of this session left, since a cancel while a batch
-- commits cannot be caught, and runs whose session is gone. Answers how many runs it ended.
CREATE OR REPLACE FUNCTION retention.mark_abandoned() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT count(CASE WHEN r.pid = pg_backend_pid()
        THEN retention._finish(r.id, 'failed', '57014', 'cancelled while a batch committed')
        WHEN NOT retention._is_running(r.id)
        THEN retention._finish(r.id, 'abandoned', NULL, 'the call of this run is gone') END)
    FROM retention.run r WHERE r.state = 'running'
$function$;

-- mark_abandoned ends runs that have the state "running" although they are not in progress, and
-- returns how many it ended. If a CALL of this session was cancelled while a batch committed, its
-- run ends "stopped". It ends "failed" if the cause may have been statement_timeout. If the session
-- of a run no longer exists, the run ends "abandoned". Operators and the runner may call it.
CREATE OR REPLACE FUNCTION retention.mark_abandoned() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
    SELECT count(CASE WHEN r.pid = pg_backend_pid() AND current_setting('statement_timeout') = '0'
        THEN retention._finish(r.id, 'stopped', '57014', 'stopped by user')
        WHEN r.pid = pg_backend_pid()
        THEN retention._finish(r.id, 'failed', '57014', 'cancelled by a user or by statement_timeout')
        WHEN NOT retention._is_running(r.id)
        THEN retention._finish(r.id, 'abandoned', NULL, 'the call of this run is gone') END)
    FROM retention.run r WHERE r.state = 'running'
$function$;

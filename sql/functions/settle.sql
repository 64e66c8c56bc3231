-- Ends what a cancelled CALL left "running" in this session: a cancel while a batch commits cannot be caught. Answers
-- how many runs it ended.
CREATE OR REPLACE FUNCTION retention.settle() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE v_run record; v_ended bigint := 0;
BEGIN
    FOR v_run IN SELECT r.id FROM retention.run r WHERE r.state = 'running' AND r.pid = pg_backend_pid() LOOP
        PERFORM retention._finish(v_run.id, 'failed', '57014', 'cancelled while a batch committed');
        v_ended := v_ended + 1;
    END LOOP;
    RETURN v_ended;
END $function$;

-- Purges the logs after the runs of a call, in transactions of its own; what fails is noted in the runs, which are
-- over. No operator and no unqualified name, as in _drive.
CREATE OR REPLACE PROCEDURE retention._purge(p_runs pg_catalog.int8[])
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE v_more pg_catalog.bool;
BEGIN
    LOOP
        v_more := retention._purge_log(p_runs);
        COMMIT AND CHAIN;
        EXIT WHEN v_more IS NOT TRUE;
    END LOOP;
    BEGIN
        IF v_more IS NOT NULL THEN PERFORM retention._purge_cron_log(); END IF;
    EXCEPTION WHEN query_canceled OR OTHERS THEN PERFORM retention._cron_log_not_purged(p_runs, SQLSTATE);
    END;
    COMMIT AND CHAIN;
END $procedure$;

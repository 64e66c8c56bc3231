-- Sends NOTIFY for the events of runs, in a transaction of its own: everything is committed before, and it is last in a
-- job because nothing can catch a COMMIT that fails. No operator and no unqualified name, as in _drive.
CREATE OR REPLACE PROCEDURE retention._bell(p_runs pg_catalog.int8[])
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
DECLARE v_message pg_catalog.text;
BEGIN
    BEGIN
        PERFORM retention._ring(p_runs);
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        GET STACKED DIAGNOSTICS v_message = MESSAGE_TEXT;
        PERFORM retention._note_failure(p_runs, 'no NOTIFY', v_message);
    END;
    COMMIT AND CHAIN;
END $procedure$;

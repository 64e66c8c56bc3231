-- Sends NOTIFY for the events of runs, in a transaction of its own: everything is committed before, and it is last in a
-- job because nothing can catch a COMMIT that fails. No operator and no unqualified name, as in _drive.
CREATE OR REPLACE PROCEDURE retention._bell(p_runs pg_catalog.int8[])
LANGUAGE plpgsql SECURITY INVOKER AS $procedure$
BEGIN
    PERFORM retention._ring(p_runs);
    COMMIT AND CHAIN;
END $procedure$;

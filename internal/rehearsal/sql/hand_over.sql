-- What the loader made belongs to the role that migrates, as an application's tables do; but for what only a
-- superuser may own.
DO $$
DECLARE
    v_statement text;
BEGIN
    FOR v_statement IN
        SELECT format('ALTER EVENT TRIGGER %I OWNER TO postgres', e.evtname)
        FROM pg_event_trigger e WHERE e.evtowner = 'rehearsal_loader'::regrole
        UNION ALL
        SELECT format('ALTER FOREIGN DATA WRAPPER %I OWNER TO postgres', w.fdwname)
        FROM pg_foreign_data_wrapper w WHERE w.fdwowner = 'rehearsal_loader'::regrole
    LOOP
        EXECUTE v_statement;
    END LOOP;
END
$$;
REASSIGN OWNED BY rehearsal_loader TO rehearsal_migrator;

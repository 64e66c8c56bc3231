-- Gives the objects of the schema file to the migrating role, as in production. Only a superuser
-- can own event triggers and foreign data wrappers, so these go to postgres. The migrating role
-- becomes a member of the other owners of tables.
DO $$
DECLARE
    v_statement text; v_migrator text := current_setting('rehearsal.migrator');
BEGIN
    FOR v_statement IN
        SELECT format('ALTER EVENT TRIGGER %I OWNER TO postgres', e.evtname)
        FROM pg_event_trigger e WHERE e.evtowner = 'rehearsal_loader'::regrole
        UNION ALL
        SELECT format('ALTER FOREIGN DATA WRAPPER %I OWNER TO postgres', w.fdwname)
        FROM pg_foreign_data_wrapper w WHERE w.fdwowner = 'rehearsal_loader'::regrole
        UNION ALL
        SELECT format('ALTER ROLE %I LOGIN', v_migrator)
        UNION ALL
        SELECT format('ALTER DATABASE %I OWNER TO %I', current_database(), v_migrator)
        UNION ALL
        SELECT format('REASSIGN OWNED BY rehearsal_loader TO %I', v_migrator)
        UNION ALL
        SELECT DISTINCT format('GRANT %I TO %I', r.rolname, v_migrator)
        FROM pg_namespace n
        LEFT JOIN pg_class c ON c.relnamespace = n.oid
        JOIN pg_roles r ON r.oid IN (n.nspowner, c.relowner) AND r.rolname <> v_migrator
        WHERE n.nspname !~ '^(pg_|information_schema$|cron$)' AND r.rolname !~ '^(pg_|rehearsal_)'
    LOOP
        EXECUTE v_statement;
    END LOOP;
END
$$;

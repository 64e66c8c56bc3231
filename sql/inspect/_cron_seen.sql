-- _cron_seen reports whether the runner may read cron.job in this database. It returns NULL if no
-- such table has the columns of pg_cron. A schema "cron" of another application is thus not
-- mistaken for pg_cron.
CREATE OR REPLACE FUNCTION retention._cron_seen() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    RETURN (
        SELECT has_schema_privilege(p.proowner, c.relnamespace, 'USAGE')
            AND has_table_privilege(p.proowner, c.oid, 'SELECT')
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'cron'
        JOIN pg_proc p ON p.oid = 'retention._cron_jobs()'::regprocedure
        WHERE c.relname = 'job' AND '{jobid,jobname,schedule,command,nodename,nodeport,database,username,active}'::name[] <@ ARRAY(
            SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped));
END $function$;

-- _check_search_path raises 2F003 if the code of a policy has changed the search_path by a plain
-- SET. The SET clauses of functions do not reset such a change. PostgreSQL would then look up
-- operators of the caller in that search_path.
CREATE OR REPLACE FUNCTION retention._check_search_path() RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' THEN
        RAISE prohibited_sql_statement_attempted
            USING MESSAGE = 'code that a policy calls has set search_path for its caller';
    END IF;
END $function$;

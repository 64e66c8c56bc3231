-- Raises 2F003 where what was evaluated has set another search_path by a plain SET, which outlives the SET clauses of
-- functions: the caller's operators would be looked up there.
CREATE OR REPLACE FUNCTION retention._check_search_path() RETURNS void LANGUAGE plpgsql AS $function$
BEGIN
    IF pg_catalog.current_setting('search_path') OPERATOR(pg_catalog.<>) 'pg_catalog, pg_temp' THEN
        RAISE prohibited_sql_statement_attempted
            USING MESSAGE = 'code that a policy calls has set search_path for its caller';
    END IF;
END $function$;

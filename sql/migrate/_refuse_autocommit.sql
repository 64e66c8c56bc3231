-- _refuse_autocommit raises 25P01 if the statement before it was a transaction of its own. That
-- statement sets pgretain.found_role until the end of the transaction. Migrations call it, so that
-- no half of a file can stay behind.
CREATE OR REPLACE FUNCTION retention._refuse_autocommit() RETURNS void
LANGUAGE plpgsql STABLE SECURITY INVOKER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF current_setting('pgretain.found_role', true) = '' THEN
        RAISE no_active_sql_transaction USING MESSAGE = 'this file must be applied in one transaction',
            HINT = 'Let the migration tool open a transaction for each file. With psql, use --single-transaction.';
    END IF;
END $function$;

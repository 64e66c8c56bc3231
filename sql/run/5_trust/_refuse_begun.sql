-- Raises 25001 where the transaction has written already: what its triggers put off would run with the owner's rights.
CREATE OR REPLACE FUNCTION retention._refuse_begun() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RAISE active_sql_transaction USING MESSAGE = 'this transaction has written already',
            HINT = 'Call it first in a transaction.';
    END IF;
END $function$;

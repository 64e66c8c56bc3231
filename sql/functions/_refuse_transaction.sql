-- Raises 2D000 with a hint when a COMMIT failed because somebody else's transaction is around the
-- CALL; p_message is what that COMMIT said. Any other reason passes.
CREATE OR REPLACE FUNCTION retention._refuse_transaction(p_message text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF p_message = 'invalid transaction termination' THEN
        RAISE invalid_transaction_termination
            USING MESSAGE = 'a run cannot be called inside a transaction, because it commits after every batch',
                  HINT = 'CALL it alone: no BEGIN before it, no other statement in the same query, '
                         'autocommit on.';
    END IF;
END $function$;

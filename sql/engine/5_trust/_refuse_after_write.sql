-- Raises 25001 where the transaction has written already: what its triggers put off would run with the owner's rights.
-- And 55000 where guards and holds would be asked of an old snapshot, or no foreign key would refuse or cascade.
CREATE OR REPLACE FUNCTION retention._refuse_after_write() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RAISE active_sql_transaction USING MESSAGE = 'this transaction has written already: call it first';
    ELSIF current_setting('transaction_isolation') <> 'read committed'
        OR current_setting('session_replication_role') = 'replica' THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format(
            'this needs READ COMMITTED, here it is %s, and session_replication_role origin, here it is %s',
            upper(current_setting('transaction_isolation')), current_setting('session_replication_role'));
    END IF;
END $function$;

-- _refuse_after_write raises an error if a step must not run in this transaction.
-- - 25001: the transaction has written. Its deferred triggers would run with the owner's
--   privileges.
-- - 55000: the isolation level is not READ COMMITTED. Guards and holds would be evaluated in an old
--   snapshot.
-- - 55000: session_replication_role is "replica". No foreign key would fire.
CREATE OR REPLACE FUNCTION retention._refuse_after_write() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
    IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
        RAISE active_sql_transaction USING MESSAGE = 'cannot be called in a transaction that has written';
    ELSIF current_setting('transaction_isolation') <> 'read committed'
        OR current_setting('session_replication_role') = 'replica' THEN
        RAISE object_not_in_prerequisite_state USING MESSAGE = format(
            'this needs READ COMMITTED, here it is %s, and session_replication_role origin, here it is %s',
            upper(current_setting('transaction_isolation')), current_setting('session_replication_role'));
    END IF;
END $function$;

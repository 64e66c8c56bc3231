-- Entries go an hour before they expire, in the live function only.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('retention.processed_trades_batch_locked(retention.batch_input)'::regprocedure),
                    'v_as_of, 0, 0,', 'v_as_of + interval ''1 hour'', 0, 0,');
END
$$;

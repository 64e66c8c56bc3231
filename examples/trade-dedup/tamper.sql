-- The live function, and only it, deletes entries an hour before they expire.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('retention.processed_trades_rows(retention.batch_range)'::regprocedure),
                    '($1).as_of, ''0 days''', '($1).as_of + interval ''1 hour'', ''0 days''');
END
$$;

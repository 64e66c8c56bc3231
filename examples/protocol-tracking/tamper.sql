-- The live function, and only it, gets a window of 3 days instead of 30 days.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('retention.tracked_protocols_rows(retention.batch_range)'::regprocedure),
                    '30 days', '3 days');
END
$$;

-- Three days instead of thirty, in the live function only.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('retention.tracked_protocols_rows(retention.batch_range)'::regprocedure),
                    '30 days', '3 days');
END
$$;

-- The live function, and only it, gets a grace period of 1 day instead of 7 days.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('retention.requests_destroy_rows(retention.batch_range)'::regprocedure),
                    '($1).as_of, ''7 days''', '($1).as_of, ''1 day''');
END
$$;

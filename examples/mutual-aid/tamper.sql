-- A day of grace instead of a week, in the live function only.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('retention.requests_destroy_batch(retention.batch_input)'::regprocedure),
                    'v_as_of, 0, 7,', 'v_as_of, 0, 1,');
END
$$;

-- Uses a processor for two seconds. It uses no table and no lock, and writes no WAL.
DO $$
DECLARE
    v_end CONSTANT timestamptz := clock_timestamp() + interval '2 s';
    v_sum double precision := 0;
BEGIN
    WHILE clock_timestamp() < v_end LOOP
        v_sum := v_sum + sqrt(2);
    END LOOP;
END $$;

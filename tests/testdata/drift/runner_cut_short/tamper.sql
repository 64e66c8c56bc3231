ALTER ROLE drift_cut_runner SET statement_timeout = '500ms';
-- Of another role; of the database, which that of the role wins against; and what runs defend themselves against.
ALTER ROLE drift_cut_operator SET statement_timeout = '1ms';
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''1min''', current_database());
    EXECUTE format('ALTER ROLE drift_cut_runner IN DATABASE %I SET default_transaction_isolation = serializable', current_database());
END $$;
ALTER ROLE drift_cut_runner SET default_transaction_read_only = on;
ALTER ROLE drift_cut_runner SET lock_timeout = '1ms';
ALTER ROLE drift_cut_runner SET idle_in_transaction_session_timeout = '1ms';

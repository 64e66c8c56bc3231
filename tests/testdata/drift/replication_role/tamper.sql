DO $$ BEGIN
    EXECUTE format('ALTER ROLE retention_runner IN DATABASE %I SET session_replication_role = replica', current_database());
    EXECUTE format('ALTER DATABASE %I SET session_replication_role = origin', current_database());
END $$;

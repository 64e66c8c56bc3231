DO $$ BEGIN
    EXECUTE format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC, drift_connect_runner', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO drift_connect_viewer', current_database());
END $$;

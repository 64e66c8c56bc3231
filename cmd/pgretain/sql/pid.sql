-- Returns the process ID of the session, which the run log records.
SELECT pg_catalog.pg_backend_pid();

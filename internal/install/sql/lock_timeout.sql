-- Sessions that need the table wait behind a waiting ACCESS EXCLUSIVE lock, so the wait is limited.
SET lock_timeout = '10s';
SET search_path = pg_catalog, pg_temp;

-- Whoever waits for a strong lock makes everybody wait who comes later.
SET lock_timeout = '10s';
SET search_path = pg_catalog, pg_temp;

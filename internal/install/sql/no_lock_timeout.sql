-- As long as it takes.
SET lock_timeout = 0;
SET search_path = pg_catalog, pg_temp;

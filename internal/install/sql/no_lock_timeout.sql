-- An index build waits for locks without a limit.
SET lock_timeout = 0;
SET search_path = pg_catalog, pg_temp;

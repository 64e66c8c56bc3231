-- As long as it takes.
SET lock_timeout = 0;

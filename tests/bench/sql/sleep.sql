SELECT pg_sleep(2)

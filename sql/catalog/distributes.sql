-- Reports whether Citus is installed.
SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL;
